"""What `from tkgmem import ...` offers: the memory, the values it returns, the errors it raises."""

import tkgmem

VALUES = """AddResult Change Changed Community CommunityReport CopyReport Diff Difference DoctorReport Entity EntityView Episode
    Fact Filters ForgetReport Held Hit Membership Mention MergeConflict MergeReport ModelCall Moment Ontology Problem
    QueryTime Recall Recalled ReindexReport ReplayReport RECIPES Recipe SearchResult Stats Succession Summary
    SummaryReport Supersession Told UndoReport Version Why"""
ERRORS = """TkgmemError StoreError NotATkgmemFile SchemaTooNew EmbedderMismatch WriteConflict FileBusy ProviderError LLMError
    BadResponse ModelFileMissing NotFound AmbiguousName InvalidPeriod"""


def test_the_public_names_are_these() -> None:
    expected = ["Memory", "reembed", "restore", *VALUES.split(), *ERRORS.split()]
    assert sorted(tkgmem.__all__) == sorted(expected)
    assert all(hasattr(tkgmem, name) for name in expected)
