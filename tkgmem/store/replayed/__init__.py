"""A file told again: what happened in it and when, its rows taken over into another one, and two files compared."""
