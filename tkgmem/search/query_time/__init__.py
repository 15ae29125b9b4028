"""The time that a question speaks of: dates it names, and events it stands before, after or in.

Pure over the text, and cautious: a wrong range loses the answer while a missed one only leaves the default instant, so what
could be a name, a count, a habit or the thing asked for is not taken for a time.
"""

from tkgmem.search.query_time.anchors import Anchor, anchor
from tkgmem.search.query_time.spoken import Spoken, read

__all__ = ["Anchor", "Spoken", "anchor", "read"]
