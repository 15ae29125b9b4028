"""Bytes sealed with a password, in the age format (https://age-encryption.org/v1): any age program opens them again.

The password is turned into the key by scrypt, made to take about a second and half a gigabyte of memory. No message, log or
file ever holds the password.
"""

from __future__ import annotations

from types import ModuleType

from tkgmem.errors import StoreError


def seal(content: bytes, password: str) -> bytes:
    """The content, encrypted and signed with the password. ValueError for an empty password, StoreError without pyrage."""
    passphrase = _passphrase()
    return bytes(passphrase.encrypt(content, checked(password)))


def unseal(content: bytes, password: str, name: str) -> bytes:
    """What was sealed. StoreError if the password is another, or the content is damaged. name: the file, for the message."""
    passphrase = _passphrase()
    from pyrage import DecryptError

    try:
        return bytes(passphrase.decrypt(content, checked(password)))
    except DecryptError as error:
        raise StoreError(_why(str(error), name)) from error


def checked(password: str) -> str:
    """A password, if it can be one; ValueError otherwise."""
    if not isinstance(password, str):
        raise TypeError(f"a password is text, not {type(password).__name__}")
    if not password:
        raise ValueError("the password is empty; give one, or leave it out to have the file unsealed")
    try:
        password.encode()
    except UnicodeEncodeError:
        raise ValueError("the password has a character that is not text (a lone surrogate); choose another") from None
    return password


def require() -> None:
    """StoreError with the way to install it if the pyrage package is missing: before a password is asked for."""
    _passphrase()


def _why(said: str, name: str) -> str:
    if "Excessive work" in said:
        return f"{name} was sealed on a much faster machine: opening it here would take too long; open it on one like that"
    if "matching keys" in said:
        return f"{name} was not sealed with a password but to somebody's key; open it with age and that key"
    if said == "Decryption failed":
        return f"the password is not that of {name}, or the file is damaged; nothing was written"
    return f"{name} is damaged: it cannot be unsealed ({said}); use another copy"


def _passphrase() -> ModuleType:
    try:
        from pyrage import passphrase
    except ImportError as error:
        raise StoreError("sealing needs the pyrage package; install it with: pip install 'tkgmem[seal]'") from error
    assert isinstance(passphrase, ModuleType)
    return passphrase
