"""Given names: what they are shortened to, how they are spelt in Latin letters, and which words are one at all.

Written as they are compared: case folded, without diacritics.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tkgmem.ingest.similar.tables import classes

VARIANTS = classes(
    """
abdul abdel abdal abdool
abdullah abdallah abdulla
ahmed ahmad ahmet
aisha ayesha aysha
aleksandr alexander alexandr oleksandr aleksander
alexei alexey aleksei aleksey oleksii oleksiy
andrei andrey andrii andriy
assad asad
bin ibn ben
catherine katherine kathryn catharine
daria darya
dmitry dmitri dmitriy dimitri dmytro dimitry
ekaterina yekaterina
evgeny evgeni evgenii yevgeny yevgeni yevgeniy evgeniy
fatima fatimah fatma
gaddafi qaddafi gadhafi qadhafi kadafi kaddafi qadafi gadafi
hassan hasan
hussein husayn hussain husain husein hussayn hosein hossein
ibrahim ebrahim ibraheem
igor ihor
jeffrey geoffrey
joaquin joachim
khalid khaled
laden ladin
leila layla laila leyla
mahmoud mahmud mahmood
mohammed muhammad mohamed mohammad muhammed mohamad mohamud
moammar muammar muammer moamar
mustafa mostafa moustafa
natalia nataliya natalya
nikolai nikolay mykola
omar umar
osama usama osamah usamah
rahman rehman
salim saleem selim
sarah sara
sergei sergey serhii serhiy sergej serguei
sophia sofia sofya
stephen steven
suleiman sulaiman suleyman soliman
tariq tarek tarik
vladimir wladimir vladimer
vyacheslav viacheslav
yelena elena jelena
yulia julia yuliya
yuri yury yuriy iouri jurij
yusuf yousef youssef yousuf yusef
zelensky zelenskyy zelenskiy zelenskyj selenskyj
""",
    " ",
)
"""A spelling of one name in Latin letters to that by which it is compared."""


def _short_for(text: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in text.split("\n"):
        for short in line.split()[1:]:
            found.setdefault(short, set()).add(VARIANTS.get(line.split()[0], line.split()[0]))
    return {short: frozenset(names) for short, names in found.items()}


_SHORT = """
abigail abby
albert bert
alexander alex sasha
alexandra alex sasha
andrew andy drew
anthony tony
barbara barb
benjamin ben benny
catherine kate cathy katie
charles charlie chuck
christina chris tina
christopher chris
cynthia cindy
daniel dan danny
david dave davey
deborah deb debbie
dmitry dima
dorothy dot
edward ed eddie ted ned
elizabeth liz beth betty eliza lizzie
francis frank
frederick fred freddie
gregory greg
henry harry hank
jacob jake
james jim jimmy jamie
jeffrey jeff
jennifer jen jenny
jessica jess jessie
john johnny jack
jonathan jon
joseph joe joey
joshua josh
katherine kate kathy katie
kenneth ken kenny
lawrence larry
leonard leo len lenny
madeleine maddie
margaret maggie meg peggy
maria masha
matthew matt
michael mike mick
mikhail misha
nathaniel nate nathan
nicholas nick nicky
olivia liv
pamela pam
patricia pat patty tricia
patrick pat paddy
peter pete
philip phil
rebecca becca becky
richard rick dick rich ricky
robert bob rob bobby robbie bert
ronald ron ronnie
samantha sam
samuel sam sammy
stephen steve
steven steve
susan sue susie
theodore ted theo
thomas tom tommy
timothy tim timmy
victoria vicky tori
vincent vince
vladimir vova volodya
walter walt
william bill will billy
zachary zach zack
"""
SHORT_FOR: Mapping[str, frozenset[str]] = MappingProxyType(_short_for(_SHORT))
"""A short form to the given names, as `VARIANTS` spells them, that it may stand for."""

_GIVEN = """
aaron abdullah adam adrian agnes ahmed aisha akiko akira alan alberto alejandro aleksandr ali alice alicia alina amanda amelia
amina amir amy ana anastasia andre andrea angela anil anita anna anne antonio arjun arthur ashley astrid ayse barack beatriz
boris brandon brian bruno camila carl carla carlos carmen caroline cecilia charlotte chen chiara chloe christian claire clara
claudia colin craig cristina dana daria dariusz deepak denise dennis diana diego dmitry dominic donald donna dylan edgar
eduardo elena elias elif ella ellen emil emilia emily emma enrique eric erik ernesto esther eva evan evelyn farid fatima fatma
felix fernando fiona florian franz friedrich gabriel george georgia gerald giovanni giulia gloria grace graham guillermo
gustav hana hannah hans harold hassan heather heidi helen helena hiroko hiroshi hugo hussein ian ibrahim igor ines ingrid
irene irina isaac isabel isabella ivan ivy jan jana jane janet jasmine javier jean jenna jeremy joan joanna jorge jose josef
juan judith jules julia julian julie jurgen justin karen karim karin karl katarina keith kelly kenji kevin kim kristina kyle
lars laura lauren layla leila lena leon lila lily linda lisa louis louise luca lucas lucia lucy luis luisa lukas luke magda
manuel marc marco marcus maria marie marina mario mark marta martha martin mary mateo maya megan mehmet mei melanie melissa
mia michelle miguel mila milan mira miriam mohammed molly monica nadia nancy naoko natalia natalie natasha neil nicolas nicole
nina noah noor nora olaf oleg olga oliver omar oscar owen pablo paolo paul paula pavel pedro petra pierre priya rachel rafael
raj rajesh ravi raymond renata rita roberto roger rohan roman rosa rose rosie ruth ryan sabine salma sandra sanjay sara sarah
scott sean sebastian sergei sergey sharon silvia simon sofia sonia sophia sophie stefan stella sunita sven svetlana sylvia
takashi tanya tara tatiana teresa theresa tina tobias todd tomas tracy ulrich ursula valentina valeria vera victor viktor
viktoria virginia vladimir wei wendy wolfgang yasmin yoko yolanda yuki yuri yusuf yvonne zara zoe
"""
GIVEN_NAMES = frozenset(_GIVEN.split()) | frozenset(_SHORT.split())
"""Common given names of many languages: a name that begins with one is taken for a person's."""
