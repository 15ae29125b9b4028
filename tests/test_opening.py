"""What opening a file says of how it was left and where it lies, and that it says nothing of one in use."""

from __future__ import annotations

import datetime as dt
import logging
import multiprocessing
import os
import shutil
from pathlib import Path, PurePosixPath, PureWindowsPath

import apsw
import pytest

from tkgmem import Memory, StoreError
from tkgmem.store import place
from tkgmem.store.connection import Store
from tkgmem.testing import FixedClock, HashEmbedder

NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)


def opened(path: Path, *, read_only: bool = False) -> Memory:
    return Memory(path, embedder=HashEmbedder(8), clock=FixedClock(NOW), read_only=read_only)


def made(path: Path) -> None:
    with opened(path) as memory:
        memory.add_fact("Ann", "LIVES_IN", "Porto")


def killed(path: Path) -> None:
    """Another process that wrote and was cut off."""

    def work() -> None:
        memory = opened(path)
        memory.add_fact("Bo", "LIVES_IN", "Oslo")
        os._exit(0)

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join()


def wal(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "tkgmem")
    return caplog


# --- how it was left ---


def test_a_file_that_was_not_closed_says_so_and_has_what_was_committed(path: Path, log: pytest.LogCaptureFixture) -> None:
    made(path)
    killed(path)
    assert wal(path).stat().st_size
    with opened(path) as memory:
        assert [fact.target.name for fact in memory.as_of(NOW, source="Bo")] == ["Oslo"]
    assert ["not closed" in message and "nothing is lost" in message for message in log.messages] == [True]
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    log.clear()
    opened(path).close()
    assert log.messages == []


def test_who_may_only_read_is_told_it_too_and_leaves_it_as_it_is(path: Path, log: pytest.LogCaptureFixture) -> None:
    made(path)
    killed(path)
    before = path.read_bytes(), wal(path).read_bytes()
    with opened(path, read_only=True) as memory:
        assert memory.entity("Bo").facts
    assert len(log.messages) == 1
    assert (path.read_bytes(), wal(path).read_bytes()) == before


def test_a_copy_of_the_file_alone_while_it_is_in_use_says_that_it_may_lack_something(
    path: Path, log: pytest.LogCaptureFixture
) -> None:
    made(path)
    copy = path.with_name("copy.db")
    with opened(path) as memory:
        memory.add_fact("Bo", "LIVES_IN", "Oslo")
        shutil.copy(path, copy)
    with opened(copy) as memory:
        assert memory.stats().claims == 1
    assert ["tkgmem backup" in message for message in log.messages] == [True]


def test_a_wal_of_another_file_is_not_mixed_into_the_one_that_was_put_in_its_place(path: Path) -> None:
    made(path)
    backup = path.with_name("backup.db")
    shutil.copy(path, backup)
    killed(path)
    shutil.copy(backup, path)
    with pytest.raises(StoreError, match=r"me\.db-wal holds changes of another file.*move it away"):
        opened(path)
    wal(path).rename(path.with_name("away"))
    with opened(path) as memory:
        assert memory.stats().claims == 1


def test_nothing_is_said_while_others_use_it(path: Path, log: pytest.LogCaptureFixture) -> None:
    made(path)
    with opened(path) as first:
        first.add_fact("Bo", "LIVES_IN", "Oslo")
        with opened(path) as second, opened(path, read_only=True) as reader:
            second.add_fact("Cy", "LIVES_IN", "Rome")
            assert reader.stats().claims == 3
    assert log.messages == []


def test_nothing_is_said_after_a_reader_that_closed_last(path: Path, log: pytest.LogCaptureFixture) -> None:
    made(path)
    reader = opened(path, read_only=True)
    with opened(path) as writer:
        writer.add_fact("Bo", "LIVES_IN", "Oslo")
        assert reader.stats().claims == 2
    reader.close()
    with opened(path) as memory:
        assert memory.stats().claims == 2
    assert log.messages == []
    assert [one.name for one in path.parent.iterdir()] == [path.name]


class _Said(logging.Handler):
    """Writes what is logged to a file: a process tells the test."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def emit(self, record: logging.LogRecord) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(record.getMessage())


def _open_write_close(path: Path, said: Path, number: int) -> None:
    logging.getLogger("tkgmem").addHandler(_Said(said))
    for turn in range(12):
        with Store(path) as store, store.write() as db:
            db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (f"turn {number}", str(turn)))


def test_nothing_is_said_between_processes_that_open_write_and_close(path: Path) -> None:
    made(path)
    said = path.with_name("said")
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_open_write_close, args=(path, said, number)) for number in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert not said.exists(), said.read_text(encoding="utf-8")
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_looking_keeps_the_locks_that_this_process_has_on_the_file(path: Path) -> None:
    made(path)
    with Store(path) as first, first.write() as db:
        db.execute("INSERT INTO meta (key, value) VALUES ('a', 'b')")
        Store(path, read_only=True).close()  # looks too; a lock lost by it would let the next one in

        def intrude() -> None:
            other = apsw.Connection(str(path))
            try:
                other.pragma("journal_mode", "delete")
            except apsw.BusyError:
                os._exit(0)
            os._exit(1)

        process = multiprocessing.get_context("fork").Process(target=intrude)
        process.start()
        process.join()
        assert process.exitcode == 0


# --- where it lies ---


@pytest.mark.parametrize(
    ("path", "service"),
    [
        ("/home/ann/Dropbox/me.db", "Dropbox"),
        ("/home/ann/Dropbox (Work)/a/b/me.db", "Dropbox"),
        ("/Users/ann/Library/Mobile Documents/com~apple~CloudDocs/me.db", "iCloud Drive"),
        ("/Users/ann/Library/CloudStorage/OneDrive-Firm/me.db", "OneDrive"),
        ("/Users/ann/Library/CloudStorage/GoogleDrive-ann@x.org/My Drive/me.db", "Google Drive"),
        ("/home/ann/Nextcloud2/me.db", "Nextcloud"),
        ("/home/ann/dropboxes/me.db", None),
        ("/home/ann/my memories/me.db", None),
        ("/home/ann/onedrives/Dropbox.db", None),
    ],
)
def test_a_synced_folder_is_known_by_its_name(path: str, service: str | None) -> None:
    assert place.synced(PurePosixPath(path), lambda _: False) == service


def test_a_synced_folder_of_windows_is_known_by_its_name() -> None:
    assert place.synced(PureWindowsPath(r"C:\Users\Ann\OneDrive - Firm\me.db"), lambda _: False) == "OneDrive"


MOUNTS = r"""22 1 8:1 / / rw,relatime shared:1 - 9p root rw
30 22 0:40 / /home/ann/nas rw shared:5 - nfs4 nas:/ann rw,vers=4.2
31 22 0:41 / /home/ann/my\040share rw - cifs //nas/ann rw
32 30 8:2 / /home/ann/nas/disk rw - ext4 /dev/sdb rw
33 22 0:43 / /media rw - fuse.sshfs ann@far:/ rw
34 22 8:3 / /media rw - ext4 /dev/sdc rw
odd
"""


@pytest.mark.parametrize(
    ("path", "system"),
    [
        ("/home/ann/me.db", None),
        ("/home/ann/nas/me.db", "nfs4"),
        ("/home/ann/nasty/me.db", None),
        ("/home/ann/my share/a/me.db", "cifs"),
        ("/home/ann/nas/disk/me.db", None),
        ("/media/me.db", None),
    ],
)
def test_a_network_drive_is_known_by_the_mount_that_is_seen_there(path: str, system: str | None) -> None:
    assert place.network(PurePosixPath(path), MOUNTS) == system


def test_a_share_of_windows_is_a_network_drive() -> None:
    assert place.network(PureWindowsPath(r"\\nas\ann\me.db"), "") == r"\\nas\ann"
    assert place.network(PureWindowsPath(r"C:\me.db"), "") is None


def test_opening_to_write_in_a_synced_folder_says_so_once(tmp_path: Path, log: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "notes" / "old"
    folder.mkdir(parents=True)
    (tmp_path / "notes" / ".stfolder").mkdir()
    made(folder / "me.db")
    assert ["Syncthing" in message for message in log.messages] == [True]
    log.clear()
    opened(folder / "me.db", read_only=True).close()
    assert log.messages == []
