"""From what other programs keep to texts for the memory: one file per format, each a reader that writes nothing.

A reader gives texts with their own date, speaker and conversation, in order of time, and says what it left out and why.
"""
