"""The memory in other frameworks: one file for each, loaded only where imported, each over Memory's public verbs alone."""
