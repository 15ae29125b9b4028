"""Pictures of facts on both clocks, as plain SVG: no script, nothing loaded from elsewhere, readable in print and in the dark.

The same facts always give the same bytes.
"""

from __future__ import annotations

from tkgmem.pictures.history import history_svg
from tkgmem.pictures.timeline import timeline_svg

__all__ = ["history_svg", "timeline_svg"]
