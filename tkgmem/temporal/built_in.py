"""The relations every new file starts with: name, whether one target at a time, inverse, aliases."""

from __future__ import annotations

from tkgmem.temporal.relations import Relation

BUILT_IN: tuple[Relation, ...] = (
    Relation(
        "WORKS_AT",
        True,
        None,
        ("WORKS_FOR", "EMPLOYED_BY", "EMPLOYED_AT", "EMPLOYEE_OF", "JOINED", "INTERNED_AT", "HAS_EMPLOYER"),
    ),
    Relation("WORKS_ON", False, None, ("WORKING_ON", "CONTRIBUTES_TO")),
    Relation("HAS_ROLE", True, None, ("ROLE_IS", "HAS_TITLE", "JOB_TITLE", "OCCUPATION", "HAS_JOB", "POSITION")),
    Relation(
        "LIVES_IN", True, None, ("RESIDES_IN", "LIVES_AT", "HOME_IN", "MOVED_TO", "RELOCATED_TO", "BASED_IN", "RESIDENCE")
    ),
    Relation("BORN_IN", True, None, ("BIRTHPLACE", "PLACE_OF_BIRTH", "BORN_AT")),
    Relation("STUDIES_AT", True, None, ("STUDENT_AT", "ENROLLED_AT", "ENROLLED_IN")),
    Relation("STUDIED_AT", False, None, ("GRADUATED_FROM", "ALUMNUS_OF", "EDUCATED_AT")),
    Relation("MEMBER_OF", False, None, ("BELONGS_TO", "IN_TEAM", "ON_TEAM", "IS_MEMBER_OF")),
    Relation("MANAGES", False, "REPORTS_TO", ("LEADS", "HEADS", "SUPERVISES", "RUNS", "IN_CHARGE_OF")),
    Relation("REPORTS_TO", True, "MANAGES", ("MANAGED_BY", "SUPERVISED_BY", "HAS_MANAGER")),
    Relation("FOUNDED", False, None, ("FOUNDER_OF", "CO_FOUNDED", "CREATED", "ESTABLISHED", "STARTED")),
    Relation("OWNS", False, None, ("HAS", "POSSESSES", "OWNER_OF")),
    Relation("HAS_PET", False, None, ("PET_OWNER_OF", "KEEPS_PET", "ADOPTED", "HAS_ANIMAL")),
    Relation("LIKES", False, None, ("LOVES", "ENJOYS", "FOND_OF", "INTERESTED_IN")),
    Relation("DISLIKES", False, None, ("HATES", "DOES_NOT_LIKE")),
    Relation("PREFERS", False, None, ("FAVORS", "FAVOURS", "PREFERENCE")),
    Relation("ALLERGIC_TO", False, None, ("HAS_ALLERGY", "ALLERGY", "ALLERGIC")),
    Relation("USES", False, None, ("USING", "UTILIZES", "SWITCHED_TO")),
    Relation("SPEAKS", False, None, ("SPEAKS_LANGUAGE", "FLUENT_IN", "KNOWS_LANGUAGE")),
    Relation("MARRIED_TO", True, "MARRIED_TO", ("SPOUSE_OF", "MARRIED", "HUSBAND_OF", "WIFE_OF", "HAS_SPOUSE")),
    Relation("DATING", True, "DATING", ("IN_RELATIONSHIP_WITH", "PARTNER_OF", "GIRLFRIEND_OF", "BOYFRIEND_OF")),
    Relation("PARENT_OF", False, None, ("MOTHER_OF", "FATHER_OF", "HAS_CHILD", "HAS_SON", "HAS_DAUGHTER")),
    Relation("SIBLING_OF", False, "SIBLING_OF", ("SISTER_OF", "BROTHER_OF", "HAS_SIBLING")),
    Relation("FRIEND_OF", False, "FRIEND_OF", ("FRIENDS_WITH", "HAS_FRIEND", "BEST_FRIEND_OF")),
    Relation("LOCATED_IN", True, None, ("LOCATED_AT", "SITUATED_IN", "HEADQUARTERED_IN", "BASED_AT")),
    Relation("PART_OF", False, None, ("COMPONENT_OF", "SUBDIVISION_OF", "WITHIN")),
    Relation("ASSIGNED_TO", True, None, ("ASSIGNEE", "OWNED_BY", "HANDLED_BY", "RESPONSIBILITY_OF")),
    Relation("HAS_STATUS", True, None, ("STATUS", "STATUS_IS", "IN_STATE")),
    Relation("ATTENDED", False, None, ("PARTICIPATED_IN", "WENT_TO_EVENT")),
    Relation("VISITED", False, None, ("TRAVELED_TO", "TRAVELLED_TO", "WENT_TO")),
    Relation("BOUGHT", False, None, ("PURCHASED", "ACQUIRED")),
    Relation("PLANS_TO", False, None, ("INTENDS_TO", "WANTS_TO", "PLANNING")),
    Relation("BIRTHDAY_ON", True, None, ("BIRTHDAY", "BORN_ON", "HAS_BIRTHDAY", "BIRTH_DATE")),
    Relation("PHONE_IS", True, None, ("PHONE", "HAS_PHONE", "PHONE_NUMBER")),
    Relation("EMAIL_IS", True, None, ("EMAIL", "HAS_EMAIL", "EMAIL_ADDRESS")),
    Relation("ALSO_KNOWN_AS", False, None, ("ALIAS", "ALIAS_OF", "AKA", "NICKNAME", "HAS_NICKNAME", "KNOWN_AS")),
)
