"""A copy sealed with a password: any age program opens it, nothing of it lies open on the disk, and the password is nowhere."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyrage
import pytest
from click.testing import CliRunner

from tkgmem import Memory, NotATkgmemFile, StoreError
from tkgmem.cli import main
from tkgmem.portable import sealed
from tkgmem.portable.backup import restore
from tkgmem.testing import HashEmbedder

PASSWORD = "correct horse"
SEALED = base64.b64decode(
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBxMDRwTGp3SytvS2hmaG82KzBxKzB3IDQKaG9ObTJxZlhqVnJGVlNWMXV2K3dQNjFFekFIRTdiYWph"
    "RThlUW9uV1JZYwotLS0gQ0IzK1JveXI3YW1vemptK0UzRDdRRHU2MWhYYk5zcDhOeWVqL1Z0ZnFhNApIertd0RO7QEtIEHim0WJY4Mvu8+Hxa5PJPYYytPsJ"
    "U4qFX8M3UudjYaqjUi/n/Rs="
)
"""The words "Maya likes tea." and a line's end, sealed by another program with a work factor of 2^4, which takes no time."""


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with Memory(path, embedder=HashEmbedder(8)) as memory:
        memory.add("Ana lives in Porto.", reference_time="2024-05-01")
        yield memory


def beside(path: Path) -> set[str]:
    return {file.name for file in path.parent.iterdir()}


def test_what_another_program_sealed_is_opened() -> None:
    assert sealed.unseal(SEALED, PASSWORD, "me.age") == b"Maya likes tea.\n"


@pytest.mark.parametrize(
    ("content", "password", "said"),
    [
        (SEALED, "wrong horse", "the password is not that of me.age"),
        (SEALED[:-1] + b"x", PASSWORD, "me.age is damaged"),
        (SEALED[:150], PASSWORD, "me.age is damaged"),
        (b"not sealed at all", PASSWORD, "me.age is damaged"),
        (SEALED.replace(b" 4\n", b" 40\n"), PASSWORD, "too long"),
        (pyrage.encrypt(b"tea", [pyrage.x25519.Identity.generate().to_public()]), PASSWORD, "somebody's key"),
    ],
    ids=["wrong password", "changed", "cut off", "not sealed", "made to take for ever", "for a key"],
)
def test_what_cannot_be_opened_is_a_clear_error_without_the_password(content: bytes, password: str, said: str) -> None:
    with pytest.raises(StoreError, match=said) as caught:
        sealed.unseal(content, password, "me.age")
    assert password not in str(caught.value)


@pytest.mark.parametrize("password", ["", "lone \ud800"])
def test_a_password_that_cannot_be_one_is_refused_before_anything_is_done(
    memory: Memory, path: Path, tmp_path: Path, password: str
) -> None:
    before = beside(path)
    with pytest.raises(ValueError, match="the password"):
        memory.backup(tmp_path / "copy.age", password=password)
    assert beside(path) == before


def test_without_the_package_the_error_says_how_to_install_it(
    memory: Memory, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyrage", None)
    before = beside(path)
    with pytest.raises(StoreError, match=r"pip install 'tkgmem\[seal\]'"):
        memory.backup(tmp_path / "copy.age", password=PASSWORD)
    memory.backup(tmp_path / "copy.db")  # unsealed, it is not needed
    assert beside(path) == before | {"copy.db"}


def test_opened_as_a_memory_it_says_what_it_is(tmp_path: Path) -> None:
    for name, content in (("a.age", SEALED), ("b.age", b"-----BEGIN AGE ENCRYPTED FILE-----\n" + base64.b64encode(SEALED))):
        (tmp_path / name).write_bytes(content)
        for read_only in (False, True):
            with pytest.raises(NotATkgmemFile, match=r"age-encrypted.*restore"):
                Memory(tmp_path / name, embedder=HashEmbedder(8), read_only=read_only)
        assert (tmp_path / name).read_bytes() == content


@pytest.mark.parametrize(
    ("password", "said"),
    [(None, "give its password"), ("wrong horse", "is not that of"), (PASSWORD, "what is sealed in .*copy.age")],
    ids=["none", "wrong", "right, but it is no memory"],
)
def test_nothing_is_written_when_a_sealed_file_cannot_be_restored(tmp_path: Path, password: str | None, said: str) -> None:
    source = tmp_path / "copy.age"
    source.write_bytes(SEALED)
    with pytest.raises(StoreError, match=said):
        restore(source, tmp_path / "new.db", password=password)
    assert beside(source) == {"copy.age"}


def test_a_password_for_a_backup_that_has_none_is_refused(memory: Memory, tmp_path: Path) -> None:
    memory.backup(tmp_path / "copy.db")
    with pytest.raises(StoreError, match="is not sealed"):
        restore(tmp_path / "copy.db", tmp_path / "new.db", password=PASSWORD)


@pytest.mark.slow  # the real work factor takes seconds
def test_a_sealed_backup_is_never_open_on_the_disk_and_restores_to_the_same(
    memory: Memory, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: set[str] = set()
    real = sealed.seal

    def watched(content: bytes, password: str) -> bytes:
        written.update(name for name in beside(path) - before if (path.parent / name).stat().st_size)
        return real(content, password)

    before = beside(path)
    monkeypatch.setattr(sealed, "seal", watched)
    made = memory.backup(tmp_path / "copy.age", password=PASSWORD)
    assert made.sealed
    assert written == set()
    assert beside(path) == before | {"copy.age"}
    content = (tmp_path / "copy.age").read_bytes()
    assert content.startswith(b"age-encryption.org/v1\n")
    assert b"Porto" not in content
    restore(tmp_path / "copy.age", tmp_path / "new.db", password=PASSWORD)
    with Memory(tmp_path / "new.db", embedder=HashEmbedder(8)) as restored:
        assert restored.as_of("2025") == memory.as_of("2025") != []
        assert beside(path) == before | {"copy.age", "new.db", "new.db-wal", "new.db-shm"}


@pytest.mark.slow
def test_the_command_line_asks_for_the_password_twice_or_reads_it_from_a_file(
    memory: Memory, path: Path, tmp_path: Path
) -> None:
    code, shown = at_a_terminal(
        ["--db", str(path), "backup", str(tmp_path / "copy.age"), "--password"], [f"{PASSWORD}\n", f"{PASSWORD}\n"]
    )
    assert code == 0, shown
    assert "sealed with its password" in shown
    assert PASSWORD not in shown
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    arguments = ["--db", str(tmp_path / "new.db"), "restore", str(tmp_path / "copy.age")]
    restored = CliRunner().invoke(main, [*arguments, "--password-file", str(tmp_path / "password"), "--json"])
    assert restored.exit_code == 0, restored.stderr
    assert json.loads(restored.stdout)["episodes"] == 1


def test_two_passwords_that_differ_are_asked_for_again(memory: Memory, path: Path, tmp_path: Path) -> None:
    code, shown = at_a_terminal(
        ["--db", str(path), "backup", str(tmp_path / "copy.age"), "--password"], ["one\n", "two\n", "\x04"]
    )
    assert code != 0
    assert "do not match" in shown
    assert not (tmp_path / "copy.age").exists()


@pytest.mark.parametrize(
    ("arguments", "content", "said"),
    [
        (["--password"], "", "without a terminal"),
        (["--password", "--password-file", "-"], "", "exclude each other"),
        (["--password-file", "-"], "", "not one line"),
        (["--password-file", "-"], "one\ntwo\n", "not one line"),
        (["--password-file", "-"], b"\xff\xfe\n", "not UTF-8"),
        (["--password-file", "-"], "wrong horse\n", "is not that of"),
        (["--password-file", "-"], f"{PASSWORD}\n", "what is sealed in"),
    ],
)
def test_the_command_line_says_what_is_wrong_and_never_the_password(
    tmp_path: Path, arguments: list[str], content: str | bytes, said: str
) -> None:
    (tmp_path / "copy.age").write_bytes(SEALED)
    command = ["--db", str(tmp_path / "new.db"), "restore", str(tmp_path / "copy.age"), *arguments]
    result = CliRunner().invoke(main, command, input=content)
    assert result.exit_code in (2, 4)
    assert said in result.stderr
    assert "horse" not in result.output
    assert beside(tmp_path / "copy.age") == {"copy.age"}


def at_a_terminal(arguments: list[str], typed: list[str]) -> tuple[int, str]:
    """Run a command line with a terminal of its own, an answer for each question: its exit code, and all that it shows."""
    ours, theirs = pty.openpty()
    code = "import sys; from tkgmem.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, *arguments]
    answers, shown = iter(typed), b""
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as process:
        os.close(theirs)
        with contextlib.suppress(OSError):  # the terminal's other side is closed
            while part := os.read(ours, 4096):
                shown += part
                if shown.endswith(b": "):
                    os.write(ours, next(answers).encode())
    os.close(ours)
    return process.returncode, shown.decode()
