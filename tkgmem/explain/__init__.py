"""Reads that explain other reads: why, what changed, what was recalled, intervals."""
