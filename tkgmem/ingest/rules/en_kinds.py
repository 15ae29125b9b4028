"""What the last word of an English name says it is: an organisation, a project, an event. A word that is "
"missing only costs a fact."""

from __future__ import annotations

import re

from tkgmem.ingest.rules import en_words as words

ORG_WORDS = words.closed(
    "labs lab laboratories systems software bank banking insurance press media studio studios group inc ltd llc gmbh "
    "corp corporation company co capital partners holdings logistics shipping airways airlines rail railways energy "
    "power steel textiles foods health healthcare hospital clinic dental pharma pharmaceuticals biotech robotics "
    "analytics technologies technology tech digital games pictures films records books publishing print printing "
    "motors works mills foundry brewery distillery bakery consulting advisory legal law chambers associates "
    "solutions services industries enterprises trust foundation institute agency council ministry department bureau "
    "museum gallery library theatre theater opera university college school academy kindergarten nursery hotel inn "
    "cafe café restaurant bistro diner pub shop store bookshop bookstore supermarket pharmacy garage farm winery "
    "travel tours design architects architecture engineering construction builders mining telecom wireless networks "
    "mutual financial finance fund ventures securities realty properties salon spa gym fitness news times post "
    "gazette herald tribune journal radio broadcasting cartography ceramics optics instruments electronics "
    "semiconductors aerospace aviation marine freight transport couriers express charity society association union "
    "federation cooperative collective interactive entertainment productions dynamics materials chemicals plastics "
    "packaging furniture interiors apparel cosmetics diagnostics therapeutics genomics sciences research center "
    "centre headquarters factory plant warehouse office shipyard data cloud security payments retail wholesale "
    "imports exports trading outfitters provisions roasters greenhouse kitchens tiles bikes cycles toys jewellers "
    "opticians veterinary vets"
)
SITE_WORDS = (
    ORG_WORDS
    | words.SCHOOL_WORDS
    | words.closed(
        "team unit crew hangar building block room hall lab tower depot branch annex wing floor desk station terminal "
        "bridge church cathedral castle court market stadium arena garden gardens park archive archives server printer "
        "machine rack apartment flat cottage house cabin lodge manor villa mill observatory chapel abbey pier dock "
        "docks lighthouse aquarium zoo pool fountain monument statue"
    )
)
PROJECT_WORDS = words.closed(
    "project task ticket migration rollout audit report milestone release sprint epic feature review redesign launch "
    "proposal contract budget tender upgrade refactor rewrite campaign programme program initiative prototype "
    "deployment integration pipeline survey brochure newsletter manual translation renovation"
)
NATIONS = words.LANGUAGES | words.closed(
    "american canadian mexican brazilian catholic jewish muslim christian buddhist hindu indian african asian "
    "european australian british austrian swiss belgian colombian chilean cuban egyptian israeli jordanian kenyan "
    "lebanese moroccan nigerian pakistani peruvian scots syrian taiwanese tunisian venezuelan algerian argentinian "
    "vegan vegetarian"
)
_NUMBERED = re.compile(r".*\b[A-Z]?\d+[A-Z]?\Z")


def last_word(name: str) -> str:
    """The last word of a name, lower-cased and without punctuation."""
    return name.lower().replace(".", "").split()[-1] if name.split() else ""


def is_org(name: str) -> bool:
    """Whether a name says that it is an organisation.

    >>> is_org("Redwood Capital"), is_org("Ana Reyes")
    (True, False)
    """
    return last_word(name) in ORG_WORDS or last_word(name) in words.SCHOOL_WORDS


def is_site(name: str) -> bool:
    """Whether a name is that of something that stands somewhere: an organisation, a building, a numbered unit."""
    return not SITE_WORDS.isdisjoint(name.lower().split()) or _NUMBERED.match(name) is not None


def is_project(name: str) -> bool:
    """Whether a name is that of a task or project, which can be in a state."""
    return not PROJECT_WORDS.isdisjoint(name.lower().split())
