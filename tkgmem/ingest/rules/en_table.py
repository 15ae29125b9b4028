"""English verbs into relations, as a table: what each verb asks of its subject and object, and what it then states."""

from __future__ import annotations

from tkgmem.ingest.rules.en_frames import Frame, Result, Subject, apply
from tkgmem.ingest.rules.en_group import Group
from tkgmem.ingest.rules.en_text import Phrases

_JOBS = (
    "a job|a new job|a position|a new position|a role|a new role|a post|a new post|the job|the position|another job"
    "|a part-time job|a full-time job|a summer job|an internship|her dream job|his dream job|my dream job|an offer"
)
_JOB_AT = "|".join(f"{job} {link}" for job in _JOBS.split("|") for link in ("at", "with", "from"))
_JOB_AS = "|".join(f"{job} as" for job in _JOBS.split("|"))
_NEW_JOB = (Frame(_JOB_AT, "org", "WORKS_AT", "start"), Frame(_JOB_AS, "role", "HAS_ROLE", "start"))
_KNOWN = (
    "as|also as|to everyone as|to friends as|to her friends as|to his friends as|to most people as|better as|best as|locally as"
)
_DEGREE = "|".join(
    f"{whose} {what} {link}"
    for whose in ("a", "my", "his", "her")
    for what in (
        "degree",
        "diploma",
        "doctorate",
        "phd",
        "master 's",
        "bachelor 's",
        "bachelor 's degree",
        "master 's degree",
        "law degree",
        "doctoral degree",
        "certificate",
        "ba",
        "bsc",
        "ma",
        "msc",
        "mba",
    )
    for link in ("from", "at")
)
_ALLERGIES = "|".join(
    f"{link}{how} to" for link in ("", "from ") for how in ("an allergy", "a severe allergy", "a bad allergy", "a mild allergy")
)
_NOTICE = "in my notice at|in his notice at|in her notice at|in my resignation at|in his resignation at|in her resignation at"
_CLUB_JOINED = "my membership of|his membership of|her membership of|my membership at|his membership at|her membership at"

FRAMES: dict[str, tuple[Frame, ...]] = {
    "accept": _NEW_JOB,
    "land": _NEW_JOB,
    "secure": _NEW_JOB,
    "employ/": (Frame("at|by|with", "org", "WORKS_AT", "state"),),
    "hire/": (Frame("by|at", "org", "WORKS_AT", "start"), Frame("as", "role", "HAS_ROLE", "start")),
    "appoint/": (Frame("|as|to be", "known_role", "HAS_ROLE", "start"),),
    "elect/": (Frame("|as", "known_role", "HAS_ROLE", "start"),),
    "name/": (Frame("|as", "known_role", "HAS_ROLE", "start"),),
    "make/": (
        Frame("redundant by|redundant at|redundant from", "employer", "WORKS_AT", "end"),
        Frame("", "known_role", "HAS_ROLE", "start"),
    ),
    "step": (Frame("down as|back as", "role", "HAS_ROLE", "end"),),
    "base/": (
        Frame("in|at|out of", "home", "LIVES_IN", "state", "person"),
        Frame("in|at|out of", "name", "LOCATED_IN", "state", "site thing"),
    ),
    "headquarter/": (Frame("in|at", "name", "LOCATED_IN", "state", "name thing site"),),
    "stand": (Frame("in|on|at", "site", "LOCATED_IN", "state", "site thing"),),
    "buy/": (Frame("by", "name", "BOUGHT", "point", "name thing", swap=True),),
    "purchase/": (Frame("by", "name", "BOUGHT", "point", "name thing", swap=True),),
    "acquire/": (Frame("by", "name", "BOUGHT", "point", "name thing", swap=True),),
    "establish/": (Frame("by", "name", "FOUNDED", "start", "name thing", swap=True),),
    "open/": (Frame("by", "name", "FOUNDED", "start", "name thing", swap=True),),
    "start/": (Frame("by", "name", "FOUNDED", "start", "name thing", swap=True),),
    "supervise/": (Frame("by", "name", "MANAGES", "state", "name thing", swap=True),),
    "oversee/": (Frame("by", "name", "MANAGES", "state", "name thing", swap=True),),
    "chair/": (Frame("by", "name", "MANAGES", "state", "name thing", swap=True),),
    "let/": (Frame("go by|go from", "employer", "WORKS_AT", "end"),),
    "lay/": (Frame("off by|off from|off at", "employer", "WORKS_AT", "end"),),
    "sack/": (Frame("from|by", "employer", "WORKS_AT", "end"),),
    "expel/": (Frame("from", "org", "STUDIES_AT", "end"),),
    "admit/": (Frame("to", "org", "STUDIES_AT", "start"),),
    "recruit/": (Frame("by|to", "org", "WORKS_AT", "start"),),
    "fall": (Frame("under|within", "org", "PART_OF", "state", "name thing site"),),
    "lie": (Frame("in|on|at", "site", "LOCATED_IN", "state", "site thing"),),
    "suffer": (Frame(_ALLERGIES, "things", "ALLERGIC_TO", "state"),),
    "develop": (Frame(_ALLERGIES, "things", "ALLERGIC_TO", "start"),),
    "hold": (
        Frame(_DEGREE, "org", "STUDIED_AT", "point"),
        Frame("the post of|the position of|the office of|the role of|the title of", "role", "HAS_ROLE", "state"),
    ),
    "rely": (Frame("on|upon", "names", "USES", "state"),),
    "do": (
        Frame(
            "an internship at|a placement at|an apprenticeship at|a residency at|my internship at", "org", "WORKS_AT", "stint"
        ),
        Frame("his internship at|her internship at|a traineeship at|a stint at", "org", "WORKS_AT", "stint"),
    ),
    "donate": (Frame("", "possession", "OWNS", "end"),),
    "scrap": (Frame("", "possession", "OWNS", "end"),),
    **dict.fromkeys(("cook", "coach", "lecture", "volunteer", "bake"), (Frame("at", "org", "WORKS_AT", "state"),)),
    "sit": (
        Frame("on", "group", "MEMBER_OF", "state", "person name"),
        Frame("in|on|at", "site", "LOCATED_IN", "state", "site thing"),
        Frame("with", "assignee", "ASSIGNED_TO", "state", "ticket"),
    ),
    "hail": (Frame("from|originally from", "home", "BORN_IN", "state"),),
    "come": (Frame("from|originally from", "home", "BORN_IN", "state", "person"),),
    "cancel": (Frame(_CLUB_JOINED, "org", "MEMBER_OF", "end"),),
    "hand": (Frame(_NOTICE, "org", "WORKS_AT", "end"),),
    "call/": (Frame("|also", "name", "ALSO_KNOWN_AS", "state", "name person"),),
    **dict.fromkeys(("receive", "earn", "complete", "obtain"), (Frame(_DEGREE, "org", "STUDIED_AT", "point"),)),
    "wed": (Frame("", "name", "MARRIED_TO", "start"),),
    "rescue": (Frame("", "animals", "HAS_PET", "start"),),
    "foster": (Frame("", "animals", "HAS_PET", "start"),),
    "raise": (Frame("", "animals", "HAS_PET", "state"),),
    "rehome": (Frame("", "animals", "HAS_PET", "start"),),
    "tour": (Frame("", "spots", "VISITED", "point"),),
    "explore": (Frame("", "spots", "VISITED", "point"),),
    "return": (Frame("from|from a trip to", "spots", "VISITED", "point"),),
    "drive": (Frame("to|down to|up to|over to", "spots", "VISITED", "point"),),
    "participate": (Frame("in", "event", "ATTENDED", "point"),),
    "compete": (Frame("in|at", "event", "ATTENDED", "point"),),
    "inherit": (Frame("", "thing", "OWNS", "start"),),
    "acquire": (Frame("", "bought", "BOUGHT", "point"),),
    "master": (Frame("", "languages", "SPEAKS", "start"),),
    "pick": (Frame("up", "ticket", "ASSIGNED_TO", "start", swap=True),),
    "work": (
        Frame("at|for", "org", "WORKS_AT", "state"),
        Frame("as", "role", "HAS_ROLE", "state"),
        Frame("on", "project", "WORKS_ON", "state"),
    ),
    "intern": (Frame("at|with|for", "org", "WORKS_AT", "stint"),),
    **dict.fromkeys(
        ("start", "begin"), (Frame("at|with", "org", "WORKS_AT", "start"), Frame("as", "role", "HAS_ROLE", "start"))
    ),
    "practise": (Frame("at", "org", "WORKS_AT", "state"),),
    "practice": (Frame("at", "org", "WORKS_AT", "state"),),
    "teach": (Frame("at", "org", "WORKS_AT", "state"),),
    "serve": (Frame("as", "post", "HAS_ROLE", "state"), Frame("on", "group", "MEMBER_OF", "state")),
    "become": (Frame("", "known_role", "HAS_ROLE", "start"),),
    "promote/": (Frame("to", "role", "HAS_ROLE", "start"),),
    "live": (Frame("in", "place", "LIVES_IN", "state"),),
    "reside": (Frame("in", "place", "LIVES_IN", "state"),),
    "settle": (Frame("in", "place", "LIVES_IN", "start"),),
    "relocate": (Frame("to", "place", "LIVES_IN", "start"),),
    "bear/": (Frame("in", "place", "BORN_IN", "point"),),
    "enrol": (Frame("at|in", "org", "STUDIES_AT", "start"),),
    "enroll": (Frame("at|in", "org", "STUDIES_AT", "start"),),
    "enrol/": (Frame("at|in", "org", "STUDIES_AT", "state"),),
    "enroll/": (Frame("at|in", "org", "STUDIES_AT", "state"),),
    "graduate": (Frame("from", "org", "STUDIED_AT", "point"),),
    "visit": (Frame("", "spots", "VISITED", "point"),),
    "fly": (Frame("to", "spots", "VISITED", "point"),),
    "travel": (Frame("to", "spots", "VISITED", "point"),),
    "been": (Frame("to", "spots", "VISITED", "start"),),
    "manage": (Frame("", "unit", "MANAGES", "state"),),
    "lead": (Frame("", "unit", "MANAGES", "state"),),
    "head": (Frame("|up", "unit", "MANAGES", "state"),),
    "chair": (Frame("", "unit", "MANAGES", "state"),),
    "oversee": (Frame("", "unit", "MANAGES", "state"),),
    "supervise": (Frame("", "unit", "MANAGES", "state"),),
    "run": (Frame("", "unit", "MANAGES", "state"),),
    "manage/": (Frame("by", "name", "MANAGES", "state", "name thing", swap=True),),
    "lead/": (Frame("by", "name", "MANAGES", "state", "name thing", swap=True),),
    "run/": (Frame("by", "name", "MANAGES", "state", "name thing", swap=True),),
    "head/": (Frame("by", "name", "MANAGES", "state", "name thing", swap=True),),
    "report": (Frame("to|directly to|straight to", "name", "REPORTS_TO", "state"),),
    "answer": (Frame("to|directly to", "name", "REPORTS_TO", "state"),),
    "found": (Frame("", "company", "FOUNDED", "start"),),
    "cofound": (Frame("", "company", "FOUNDED", "start"),),
    "co-found": (Frame("", "company", "FOUNDED", "start"),),
    "establish": (Frame("", "company", "FOUNDED", "start"),),
    "launch": (Frame("", "company", "FOUNDED", "start"),),
    "open": (Frame("|up", "company", "FOUNDED", "start"),),
    "found/": (Frame("by", "name", "FOUNDED", "start", "name thing", swap=True),),
    "possess": (Frame("", "thing", "OWNS", "state"),),
    "sell": (Frame("", "possession", "OWNS", "end"),),
    "buy": (Frame("", "bought", "BOUGHT", "point"),),
    "purchase": (Frame("", "bought", "BOUGHT", "point"),),
    "adopt": (Frame("", "animals", "HAS_PET", "start"),),
    "get": (
        Frame("", "animals", "HAS_PET", "start"),
        *_NEW_JOB,
        Frame(_DEGREE, "org", "STUDIED_AT", "point"),
        Frame("back from|home from", "spots", "VISITED", "point"),
        Frame("rid of", "possession", "OWNS", "end"),
    ),
    "keep": (Frame("", "animals", "HAS_PET", "state"),),
    "like": (Frame("", "things", "LIKES", "state"),),
    "love": (Frame("", "things", "LIKES", "state"),),
    "enjoy": (Frame("", "things", "LIKES", "state"),),
    "adore": (Frame("", "things", "LIKES", "state"),),
    "dislike": (Frame("", "things", "DISLIKES", "state"),),
    "hate": (Frame("", "things", "DISLIKES", "state"),),
    "detest": (Frame("", "things", "DISLIKES", "state"),),
    "loathe": (Frame("", "things", "DISLIKES", "state"),),
    "prefer": (Frame("", "preferred", "PREFERS", "state"),),
    "favour": (Frame("", "preferred", "PREFERS", "state"),),
    "favor": (Frame("", "preferred", "PREFERS", "state"),),
    "use": (Frame("", "names", "USES", "state"),),
    "speak": (Frame("", "languages", "SPEAKS", "state"),),
    "marry": (Frame("", "name", "MARRIED_TO", "start"),),
    "marry/": (Frame("to", "name", "MARRIED_TO", "state"),),
    "divorce": (Frame("", "name", "MARRIED_TO", "end"),),
    "divorce/": (Frame("from", "name", "MARRIED_TO", "end"),),
    "date": (Frame("", "name", "DATING", "state"),),
    "break": (Frame("up with", "name", "DATING", "end"),),
    "split": (Frame("up with", "name", "DATING", "end"),),
    "resign": (Frame("from", "employer", "WORKS_AT", "end"), Frame("as", "role", "HAS_ROLE", "end")),
    "fire/": (Frame("from|by", "employer", "WORKS_AT", "end"),),
    "dismiss/": (Frame("from|by", "employer", "WORKS_AT", "end"),),
    "retire": (Frame("from", "employer", "WORKS_AT", "end"),),
    "depart": (Frame("|from", "org_like", "WORKS_AT", "end"),),
    "handle": (Frame("", "task", "ASSIGNED_TO", "state", swap=True),),
    "own": (Frame("", "ticket", "ASSIGNED_TO", "state", swap=True), Frame("", "bought", "OWNS", "state")),
    "take": (
        Frame(
            "up a post at|up a position at|up a role at|up a job at|up a new post at|up a new role at",
            "org",
            "WORKS_AT",
            "start",
        ),
        Frame("up a post as|up a position as|up a role as|up the post of|up the role of", "role", "HAS_ROLE", "start"),
        Frame("", "ticket_over", "ASSIGNED_TO", "start", swap=True),
        Frame("over|on", "ticket", "ASSIGNED_TO", "start", swap=True),
        Frame("part in", "event", "ATTENDED", "point"),
        *_NEW_JOB,
        Frame("over as", "role", "HAS_ROLE", "start"),
        Frame("a trip to|a vacation to|a road trip to|a holiday to|trips to", "spots", "VISITED", "point"),
    ),
    "belong": (
        Frame("to", "assignee", "ASSIGNED_TO", "state", "ticket"),
        Frame("to", "group", "MEMBER_OF", "state"),
        Frame("to", "org", "PART_OF", "state", "thing site"),
    ),
    "give": (
        Frame("away", "possession", "OWNS", "end"),
        Frame("notice at|my notice at|his notice at|her notice at", "org", "WORKS_AT", "end"),
        Frame("up " + _CLUB_JOINED.replace("|", "|up "), "org", "MEMBER_OF", "end"),
    ),
    "end": (Frame("up at", "org", "WORKS_AT", "start"),),
    "assign/": (Frame("to", "assignee", "ASSIGNED_TO", "start", "ticket thing name"),),
    "reassign/": (Frame("to", "assignee", "ASSIGNED_TO", "start", "ticket thing name"),),
    "transfer/": (Frame("to", "assignee", "ASSIGNED_TO", "start", "ticket"),),
    "hand/": (Frame("to|over to", "assignee", "ASSIGNED_TO", "start", "ticket thing"),),
    "give/": (Frame("to", "assignee", "ASSIGNED_TO", "start", "ticket"),),
    "handle/": (Frame("by", "assignee", "ASSIGNED_TO", "state", "ticket thing"),),
    "own/": (Frame("by", "assignee", "ASSIGNED_TO", "state", "ticket project"),),
    "locate/": (Frame("in|at|on", "site", "LOCATED_IN", "state", "name thing"),),
    "situate/": (Frame("in|at|on", "site", "LOCATED_IN", "state", "name thing"),),
    "know/": (Frame(_KNOWN, "name", "ALSO_KNOWN_AS", "state", "name person"),),
    "nickname/": (Frame("", "name", "ALSO_KNOWN_AS", "state", "name person"),),
    "rename/": (Frame("|to|as", "name", "ALSO_KNOWN_AS", "start", "name"),),
}
"""By verb; a passive has a slash behind it."""

_FANS = ("a", "a big", "a huge", "a total", "a massive", "a real", "a great", "such a", "such a big", "big")
_FOND = (
    "|".join(f"{fan} fan of" for fan in _FANS)
    + "|fond of|really fond of|very fond of|into|really into|big on|keen on|passionate about|very keen on|so "
    "into|super into"
    "|crazy about|obsessed with|mad about"
)

_COPULA: tuple[Frame, ...] = (
    Frame(
        "allergic to|severely allergic to|very allergic to|highly allergic to|deathly allergic to",
        "things",
        "ALLERGIC_TO",
        "state",
    ),
    Frame("fluent in|bilingual in|trilingual in|conversational in|proficient in|native in", "languages", "SPEAKS", "state"),
    Frame("a native speaker of|a fluent speaker of", "languages", "SPEAKS", "state"),
    Frame("married to", "name", "MARRIED_TO", "state"),
    Frame("friends with|good friends with|best friends with|close friends with", "name", "FRIEND_OF", "state"),
    Frame(_FOND, "things", "LIKES", "state"),
    Frame("a member of|members of|part of|on", "group", "MEMBER_OF", "state"),
    Frame(
        "part of|a part of|a division of|a subsidiary of|a branch of|a unit of|a component of",
        "org",
        "PART_OF",
        "state",
        "name thing site",
    ),
    Frame("in|on|at|located in|over in", "site", "LOCATED_IN", "state", "site"),
    Frame("from|originally from", "home", "BORN_IN", "state"),
    Frame("with|handled by", "assignee", "ASSIGNED_TO", "state", "ticket"),
    Frame("with", "org_like", "WORKS_AT", "state"),
    Frame("best known as|better known as", "name", "ALSO_KNOWN_AS", "state", "name person site"),
    Frame("in charge of", "unit", "MANAGES", "state"),
    Frame("the owner of|the proud owner of|a proud owner of|owner of|proud owner of", "thing", "OWNS", "state"),
    Frame("responsible for", "task", "ASSIGNED_TO", "state", swap=True),
    Frame(
        "a student at|enrolled at|in grad school at|a freshman at|a sophomore at|a senior at|at school at",
        "org",
        "STUDIES_AT",
        "state",
    ),
    Frame("a graduate of|an alumnus of|an alumna of", "org", "STUDIED_AT", "state"),
    Frame("the manager of|the boss of|the head of", "unit", "MANAGES", "state"),
    Frame("the founder of|a founder of|a co-founder of", "company", "FOUNDED", "start"),
)


def copula(phrases: Phrases, group: Group, subject: Subject) -> Result | None:
    """ "is allergic to", "is part of"."""
    return apply(phrases, group, subject, _COPULA)
