"""Where a memory lies: a synced folder or a network drive can tear a file in use apart, so it is said when one is opened.

Pure functions of a path, of what lies in the folders above it, and of the table of mounts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

_FOLDERS = {
    "Dropbox": r"dropbox( \(.+\))?",
    "OneDrive": r"onedrive([ -].+)?",
    "Google Drive": r"google ?drive(-.+)?|my drive",
    "iCloud Drive": r"icloud ?drive|com~apple~clouddocs|mobile documents",
    "Nextcloud": r"nextcloud\d*",
    "ownCloud": r"owncloud\d*",
    "Syncthing": r"syncthing",
    "MEGA": r"mega(sync)?( downloads)?",
    "pCloud": r"pcloud ?(drive|sync)",
    "Proton Drive": r"proton ?drive(-.+)?",
    "Box": r"box sync|box-box",
    "Seafile": r"seafile",
    "Yandex Disk": r"yandex\.?disk",
    "Tresorit": r"tresorit( drive)?",
    "a cloud storage": r"cloudstorage",
}
"""How a folder that a service keeps in step is named, in any case."""
_ANY = re.compile("|".join(_FOLDERS.values()), re.IGNORECASE)

_MARKS = {
    ".dropbox.cache": "Dropbox",
    ".tmp.driveupload": "Google Drive",
    ".tmp.drivedownload": "Google Drive",
    ".nextcloudsync.log": "Nextcloud",
    ".owncloudsync.log": "ownCloud",
    ".stfolder": "Syncthing",
    ".stignore": "Syncthing",
    ".sync": "Resilio Sync",
}
"""What a service leaves in the top folder that it keeps in step."""

_NETWORK = {
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ncpfs", "coda", "9p", "ceph", "lustre", "gfs2", "ocfs2", "beegfs", "davfs",
    "vboxsf", "vmhgfs", "virtiofs", "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse", "fuse.goofys", "fuse.davfs",
    "fuse.davfs2", "fuse.glusterfs", "fuse.gvfsd-fuse", "fuse.vmhgfs-fuse", "fuse.ceph", "fuse.curlftpfs", "fuse.smbnetfs",
    "fuse.google-drive-ocamlfuse", "fuse.onedriver", "fuse.grpcfuse",
}  # fmt: skip
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")


def synced(path: PurePath, exists: Callable[[PurePath], bool]) -> str | None:
    """The service that keeps a folder above the path in step, as far as names tell. exists: whether there is such a file.

    >>> synced(PurePosixPath("/home/ann/Dropbox (Work)/me.db"), lambda path: False)
    'Dropbox'
    >>> synced(PurePosixPath("/home/ann/notes/old/me.db"), lambda path: str(path) == "/home/ann/notes/.stfolder")
    'Syncthing'
    """
    for folder in path.parents:
        if _ANY.fullmatch(folder.name):
            return next(service for service, names in _FOLDERS.items() if re.fullmatch(names, folder.name, re.IGNORECASE))
    return next((service for folder in path.parents for mark, service in _MARKS.items() if exists(folder / mark)), None)


def network(path: PurePath, mounts: str) -> str | None:
    r"""The file system of another machine that the path lies on, else None. mounts: as /proc/self/mountinfo has them.

    The root of everything is never one: there, a sandbox or a diskless machine has nothing else.

    >>> network(PureWindowsPath(r"\\server\share\me.db"), "")
    '\\\\server\\share'
    >>> network(PurePosixPath("/mnt/nas/me.db"), "36 35 98:0 / /mnt/nas rw - nfs4 nas:/me rw")
    'nfs4'
    """
    if isinstance(path, PureWindowsPath) and path.drive.startswith("\\\\"):
        return path.drive
    length, kind = 0, None
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields, system = before.split(" "), after.split(" ")[0]
        if len(fields) < 5:
            continue
        point = PurePosixPath(_OCTAL.sub(lambda code: chr(int(code.group(1), 8)), fields[4]))
        if len(point.parts) >= max(length, 2) and path.is_relative_to(point):  # of two on one point the later one is seen
            length, kind = len(point.parts), system
    return kind if kind in _NETWORK else None


def warning(path: str) -> str | None:
    """What to say of where a file lies; None where nothing is known against it."""
    real = Path(path).resolve()
    if (system := network(real, _mounts())) is not None:
        return (
            f"{path} lies on a network drive or a shared folder ({system}): SQLite's locks may not work there, and what two "
            "machines write may be lost; keep it on a disk of this machine, and copy it with `tkgmem backup`"
        )
    if (service := synced(real, _exists)) is not None:
        return (
            f"{path} lies in a folder that {service} keeps in step: it may copy the file while it is written to, or put an "
            "older one in its place; keep it elsewhere, and put copies made with `tkgmem backup` there"
        )
    return None


def _mounts() -> str:
    if not sys.platform.startswith("linux"):
        return ""
    try:
        return _MOUNTS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _exists(path: PurePath) -> bool:
    try:
        return Path(path).exists()
    except OSError:  # a folder that may not be looked into
        return False
