"""What people do with the file: carry it (backup, export, import, merge, share) and look after it (doctor, reindex)."""
