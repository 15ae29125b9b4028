"""Measurements of tkgmem: each writes one JSON result that says what was measured, on what, and when."""
