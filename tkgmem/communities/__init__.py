"""The wide view: groups of entities that are tied to each other more than to the rest."""
