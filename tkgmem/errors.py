"""Every error this package raises on purpose.

    TkgmemError
    ├── StoreError                 the file
    │   ├── NotATkgmemFile         another program's file, a folder, or damaged
    │   ├── SchemaTooNew           written by a later version
    │   ├── EmbedderMismatch       written with other embedder weights
    │   ├── WriteConflict          the state moved under a planned write, again and again
    │   └── FileBusy               another process holds the write lock
    ├── ProviderError              a model
    │   ├── LLMError
    │   ├── BadResponse            an answer of the wrong shape
    │   └── ModelFileMissing       weights or tokenizer not found, or not the ones recorded
    ├── NotFound                   nothing has that uuid or name
    ├── AmbiguousName              a name fits several entities (also ValueError)
    └── InvalidPeriod              an empty or inverted period (also ValueError)

A message says what failed, the value, and what to do next.
"""


class TkgmemError(Exception):
    """Base of every error raised on purpose by this package."""


class StoreError(TkgmemError):
    """The file could not be opened, read or written."""


class NotATkgmemFile(StoreError):
    """The path holds something else: another program's file, a folder, a damaged file."""


class SchemaTooNew(StoreError):
    """The file was written by a later version of tkgmem."""


class EmbedderMismatch(StoreError):
    """The vectors in the file were made by another embedder than the one given."""


class WriteConflict(StoreError):
    """The state a write was planned on kept moving; the write was given up, nothing was written."""


class FileBusy(StoreError):
    """Another process held the write lock for longer than the time-out; nothing was written."""


class ProviderError(TkgmemError):
    """A model could not be loaded or answered wrongly."""


class LLMError(ProviderError):
    """A language model call failed."""


class BadResponse(ProviderError):
    """A model's answer has the wrong shape or impossible values."""


class ModelFileMissing(ProviderError):
    """A model's weights or tokenizer are missing, or are not the ones its manifest names."""


class NotFound(TkgmemError):
    """Nothing in this memory has the given uuid or name."""


class AmbiguousName(TkgmemError, ValueError):
    """A name fits several entities; the message lists their uuids."""


class InvalidPeriod(TkgmemError, ValueError):
    """A period is empty or inverted; the message names both bounds."""
