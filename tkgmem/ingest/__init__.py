"""The write path. A text goes through it in this order:

episodes (checked, stored raw) -> reading (extract_records, extract_rules, or extract_llm by way of asking) -> resolve (names)
-> planning (what is open) -> judge (one question) -> commit -> reconcile (claims against claims) -> receipt. pipeline is the
way itself. Beside it: facts and define (told by a program), identity (who is who), forget and removal (what goes with it).
"""
