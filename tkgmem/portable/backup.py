"""Backup and restore: the whole file, copied as it was at one moment, checked, and put in a place where nothing was."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tkgmem.errors import NotATkgmemFile, StoreError
from tkgmem.portable import sealed
from tkgmem.reports import CopyReport
from tkgmem.store import copy, header
from tkgmem.store.connection import Store
from tkgmem.store.placing import PRIVATE, mode_of, new_file
from tkgmem.store.snapshot import Contents


def backup(store: Store, path: str | Path, *, password: str | None = None) -> CopyReport:
    """Copy a memory to a new file, as it is at this moment, while others go on reading and writing.

    The copy is one file with the rights of the original, checked after it was written. password: seal it (age format); what is
    in it is then never on the disk unsealed, but three times in memory for a moment.

    StoreError if `path` is taken, the disk is full or the memory is damaged: nothing is left behind then. ValueError for an
    empty password.
    """
    target = Path(path)
    if password is not None:
        sealed.checked(password)
        sealed.require()
    _refuse_memory(target)
    mode = PRIVATE if store.in_memory else mode_of(store.path)
    with new_file(target, mode=mode) as part:
        if password is None:
            copied = copy.copy_to_file(store, part, name=str(target))
        else:
            image, copied = copy.copy_to_bytes(store)
            write_sealed(part, image, password)
        size = part.stat().st_size
    return _report(target, size, copied, sealed=password is not None)


def backup_file(path: str | Path, target: str | Path, *, password: str | None = None) -> CopyReport:
    """`backup` of a file that is not open here, of an earlier schema too. No embedder is needed."""
    with Store(path, read_only=True, older=True) as store:
        return backup(store, target, password=password)


def restore(backup: str | Path, path: str | Path, *, password: str | None = None) -> CopyReport:
    """Make a memory at `path` from a backup, which stays as it is. One of an earlier schema is brought up when it is opened.

    It is checked like any file that is opened, and as a whole. StoreError if `path` is taken, the password is wrong, or the
    backup is damaged; NotATkgmemFile or SchemaTooNew for a file of another kind. Nothing is left behind then.
    """
    source, target = Path(backup), Path(path)
    _refuse_memory(target)
    if not source.is_file():
        raise StoreError(f"there is no backup at {source}; name the file that `tkgmem backup` wrote")
    if header.is_sealed(source) != (password is not None):
        if password is None:
            raise StoreError(f"{source} is sealed with a password (age-encrypted); give its password, `--password`")
        raise StoreError(f"{source} is not sealed; restore it without a password")
    with new_file(target, mode=mode_of(source)) as part:
        if password is None:
            with Store(source, read_only=True, older=True) as store:
                copied = copy.copy_to_file(store, part, name=str(target))
        else:
            part.write_bytes(sealed.unseal(source.read_bytes(), password, str(source)))
            copied = _checked(part, source)
        size = part.stat().st_size
    return _report(target, size, copied, sealed=False)


def _refuse_memory(target: Path) -> None:
    if str(target) == ":memory:":
        raise StoreError("':memory:' is no file; name one")


def write_sealed(part: Path, image: bytes, password: str) -> None:
    """Seal the bytes of a memory into a file of `new_file`, and see that the password opens it again."""
    part.write_bytes(sealed.seal(image, password))
    digest = hashlib.sha256(image).digest()
    if hashlib.sha256(sealed.unseal(part.read_bytes(), password, str(part))).digest() != digest:
        raise StoreError("the sealed file does not open as what was sealed; nothing was written; try again")


def _checked(part: Path, source: Path) -> Contents:
    """What is in an unsealed copy. The one that is not a memory is named, not the copy."""
    try:
        with Store(part, read_only=True, older=True) as store:
            return copy.check(store, None, of=str(source))
    except NotATkgmemFile as error:
        raise type(error)(str(error).replace(str(part), f"what is sealed in {source}")) from error


def _report(path: Path, size: int, copied: Contents, *, sealed: bool) -> CopyReport:
    return CopyReport(str(path), size, copied.episodes, copied.entities, copied.claims, sealed)
