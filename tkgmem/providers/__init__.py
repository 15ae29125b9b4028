"""Models that live outside this package. Their heavy libraries are imported only when a model is first used."""
