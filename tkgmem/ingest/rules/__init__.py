"""The patterns of the extractor without a model: sentences in English and Chinese to drafts of facts."""
