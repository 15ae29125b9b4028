"""English verbs: surface forms of the verbs that carry a relation, and the auxiliaries that give them a mood."""

from __future__ import annotations

from typing import NamedTuple

from tkgmem.ingest.rules import en_words as words

_IRREGULAR = {
    "leave": ("left", "left"),
    "teach": ("taught", "taught"),
    "become": ("became", "become"),
    "go": ("went", "gone"),
    "fly": ("flew", "flown"),
    "run": ("ran", "run"),
    "lead": ("led", "led"),
    "sell": ("sold", "sold"),
    "keep": ("kept", "kept"),
    "speak": ("spoke", "spoken"),
    "buy": ("bought", "bought"),
    "quit": ("quit", "quit"),
    "get": ("got", "gotten"),
    "take": ("took", "taken"),
    "have": ("had", "had"),
    "break": ("broke", "broken"),
    "found": ("founded", "founded"),
    "begin": ("began", "begun"),
    "hand": ("handed", "handed"),
    "bear": ("bore", "born"),
    "know": ("knew", "known"),
    "give": ("gave", "given"),
    "split": ("split", "split"),
    "put": ("put", "put"),
    "meet": ("met", "met"),
    "wed": ("wed", "wed"),
    "come": ("came", "come"),
    "win": ("won", "won"),
    "step": ("stepped", "stepped"),
    "swap": ("swapped", "swapped"),
    "drop": ("dropped", "dropped"),
    "stay": ("stayed", "stayed"),
    "spend": ("spent", "spent"),
    "make": ("made", "made"),
    "grow": ("grew", "grown"),
    "set": ("set", "set"),
    "sit": ("sat", "sat"),
    "lose": ("lost", "lost"),
    "send": ("sent", "sent"),
    "bring": ("brought", "brought"),
    "let": ("let", "let"),
    "lay": ("laid", "laid"),
    "lie": ("lay", "lain"),
    "fall": ("fell", "fallen"),
    "sing": ("sang", "sung"),
    "ride": ("rode", "ridden"),
    "do": ("did", "done"),
    "write": ("wrote", "written"),
    "learn": ("learnt", "learnt"),
}
_REGULAR = (
    "work join start intern teach practise practice serve live reside move relocate settle study attend graduate "
    "enrol enroll visit travel manage head chair oversee supervise report answer establish open launch own possess "
    "adopt like love enjoy adore dislike hate detest loathe prefer use switch marry divorce date purchase resign "
    "handle belong end assign reassign transfer close resolve merge reopen trade stop plan intend turn return retire "
    "promote locate situate base call rename nickname cofound co-found complete finish confirm announce depart drive "
    "mark block volunteer hire employ appoint elect name accept land secure replace ditch cancel headquarter pick pass "
    "reach email text phone raise rescue foster welcome tour explore celebrate participate compete master sign "
    "lease rent rehome "
    "abandon migrate convert die disband fire dismiss acquire inherit upgrade receive earn obtain dub "
    "play row sack expel admit recruit remain rely suffer develop hold donate scrap cook coach lecture bake share "
    "track log draw organise organize store"
)


_DOUBLED = words.closed(
    "run quit get begin prefer stop plan put split enrol transfer wed win step swap drop set sit cancel travel expel"
)


class Form(NamedTuple):
    """A surface form: its verb, and which form it is: "base", "s", "ing", "past" or "pp"."""

    lemma: str
    kind: str


def _forms() -> dict[str, tuple[Form, ...]]:
    table: dict[str, list[Form]] = {}
    for lemma in [*_REGULAR.split(), *_IRREGULAR]:
        past, participle = _IRREGULAR.get(lemma, (_past(lemma), _past(lemma)))
        surfaces = (lemma, "base"), (_third(lemma), "s"), (_ing(lemma), "ing"), (past, "past"), (participle, "pp")
        for surface, kind in surfaces:
            table.setdefault(surface, []).append(Form(lemma, kind))
            doubled = surface.replace("lled", "led").replace("lling", "ling")
            if doubled != surface:
                table.setdefault(doubled, []).append(Form(lemma, kind))
    return {surface: tuple(forms) for surface, forms in table.items()}


def _past(lemma: str) -> str:
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2] not in "aeiou":
        return lemma[:-1] + "ied"
    return lemma + lemma[-1] * _doubles(lemma) + "ed"


def _third(lemma: str) -> str:
    if lemma == "have":
        return "has"
    if lemma.endswith("y") and lemma[-2] not in "aeiou":
        return lemma[:-1] + "ies"
    return lemma + ("es" if lemma.endswith(("s", "sh", "ch", "x", "o")) else "s")


def _ing(lemma: str) -> str:
    if lemma == "lie":
        return "lying"
    if lemma.endswith("e") and not lemma.endswith("ee"):
        return lemma[:-1] + "ing"
    return lemma + lemma[-1] * _doubles(lemma) + "ing"


def _doubles(lemma: str) -> bool:
    return lemma in _DOUBLED


FORMS = _forms()
BE_NOW = frozenset(("is", "am", "are", "'s", "'m", "'re"))
BE_PAST = frozenset(("was", "were"))
HAVE_NOW = frozenset(("have", "has", "'ve", "'s"))
NEGATIONS = frozenset(("not", "n't", "never"))


def gerund(base: str) -> str:
    """The -ing form of a verb, known or not.

    >>> gerund("collect"), gerund("bake"), gerund("swim"), gerund("relax")
    ('collecting', 'baking', 'swimming', 'relaxing')
    """
    if any(form.kind == "base" for form in FORMS.get(base, ())):
        return _ing(base)
    short = sum(char in "aeiou" for char in base) == 1 and base[-1] not in "aeiouwxy" and base[-2:-1] in tuple("aeiou")
    return base + base[-1] + "ing" if short else _ing(base)


def form_of(word: str, *kinds: str) -> str | None:
    """The verb of which `word` is one of these forms.

    >>> form_of("worked", "past"), form_of("worked", "ing")
    ('work', None)
    """
    for form in FORMS.get(word, ()):
        if form.kind in kinds:
            return form.lemma
    return None
