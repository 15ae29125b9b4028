"""English word lists: closed classes that the grammar leans on. A word that is missing only costs a fact."""

from __future__ import annotations


def closed(words: str) -> frozenset[str]:
    """The words of a list, as a set."""
    return frozenset(words.split())


ARTICLES = closed("a an the")
POSSESSIVES = closed("my his her their our your its")
ADVERBS = closed(
    "also now still currently just already really recently always both usually mostly actually absolutely totally "
    "finally then even officially only typically often sometimes definitely truly sadly presently simply quickly "
    "earlier strongly greatly deeply originally eventually soon later permanently temporarily happily proudly together "
    "originally newly apparently"
)
TOOLS = closed("editor browser app tool software program ide calendar client manager planner tracker terminal shell notebook")
# What one keeps in a tool.
RECORDS = closed(
    "notes recipes tasks drawings calendar budget accounts invoices photos passwords drafts designs spreadsheets "
    "lists list "
    "expenses finances journal diary bookmarks contacts documents files sketches plans schedule todos projects chapters "
    "novel novels writing code mileage workouts runs hours time inventory orders bookings"
)
# What one may be "going to" do, of the verbs that carry no relation.
INTENDED = closed(
    "do make take try learn write paint cook bake build train practice practise study sign apply renovate redecorate plant "
    "climb hike walk swim cycle ride race compete perform sing play record publish release launch finish complete start "
    "begin organise organize host throw volunteer help teach coach read watch fix repair rent lease save invest retire "
    "propose ask give donate spend stay camp sail ski surf dive explore pick set clean clear grow cut stop quit give keep "
    "get have prepare plan test present submit send ship deploy migrate review draft translate photograph design sew knit"
)
# Gerunds that say little by themselves.
LIGHT = closed(
    "being getting having seeing making feeling knowing giving taking putting letting keeping finding coming doing sinking "
    "breaking bringing sharing helping becoming working showing hearing"
)
# Verbs whose participle alone tells a speaker's plan ("Moving to Ghent next month").
UNDERTAKEN = closed("move start join leave fly relocate visit plan")
# What may stand between a verb and its preposition: "works nights at", "reports directly to".
MANNERS = closed(
    "nights days shifts evenings weekends mornings part-time full-time remotely directly closely happily quietly alone "
    "freelance abroad there alternately"
)


def asks_to_call(verb: str, whom: str) -> bool:
    """ "reach me", "text me": what follows is how."""
    return whom == "me" and verb in ("reach", "call", "text", "email", "phone", "contact", "message")


# "Has always hated" holds still.
TASTES = closed("like love enjoy adore dislike hate detest loathe prefer")
# After "she's" these tell what has happened, not what is done to her.
HAPPENINGS = closed(
    "move join leave start buy adopt visit sell switch become get quit begin retire graduate return fly travel relocate "
    "settle found open resign go come"
)
# Verbs whose participle alone says what someone does ("living in Cardiff").
STANDING = closed("live work study teach reside report speak hail serve")
FORMERLY = closed("previously formerly once")
CONNECTORS = closed("and but so then yet plus while whereas because although though , ; ( ) : — – -")
# Forms of the verbs we know that are as often nouns.
NOUNS = closed(
    "report reports study studies work visit visits use head heads answer answers practice run runs start travel "
    "launch launches plan plans mark block call calls base drive transfer transfers date dates trade move moves "
    "return rename intern interns finish split like fly sell stop lead keep chair called named settlement enrolment "
    "leave open marries cook lease rent house stand land pass fire raise sign set email text phone reach win "
    "drop make name names master masters second tour match upgrade step swap"
)
AUXILIARIES = closed("is am are was were s m re have has had ve will ll do does did can ca cannot d would")
# Words that make a whole sentence unsure.
DOUBTFUL = closed(
    "if unless whether could might should rumor rumors rumour rumours rumored rumoured heard hear apparently "
    "allegedly supposedly reportedly maybe perhaps probably possibly imagine suppose supposed pretend wish unsure "
    "unlikely doubt doubts hopefully joking kidding seem seems gossip almost nearly"
)
# Words that turn the rest of a sentence into someone's thought, wish or talk.
OPAQUE = closed(
    "say says said saying tell tells told think thinks thought believe believes believed hope hopes hoped hoping "
    "want wants wanted guess guesses assume assumes claim claims claimed suggest suggests suggested ask asks asked "
    "wonder wonders wondering doubt doubts deny denies denied pretend pretends dream dreams dreaming dreamed know "
    "knows mention mentioned mentions explain explained wrote writes feel feels felt consider considering considers "
    "thinking who which that whose whom where when until before after like try trying tries tried fail failed refuse "
    "refused refuses"
)
# First words of sentences that are capitalised without being names, and words that never name a thing.
NOT_NAMES = closed(
    "i i'm you he she it we they this that these those there here what who whom whose which when where why how hey "
    "hi hello wow yes yeah yep no nope not ok okay oh ah aw aww thanks thank good great nice cool sure well so and "
    "but or yet if unless because since although though while as at by for from in into of off on onto out over to "
    "up with without about after before during until my your his her its our their mine the a an some any each every "
    "all both either neither one two three four five six seven eight nine ten many much more most few several "
    "another other others such same someone somebody something anyone anybody anything everyone everybody everything "
    "me nobody nothing people folks guys man men woman women kids friends family everyone's do does did is are was were "
    "am be been being have has had will would can could may might must shall should let lets let's maybe perhaps "
    "actually also anyway just really very too now then today tomorrow yesterday tonight soon later recently lately "
    "currently finally still again always never sometimes often usually please sorry congrats congratulations happy "
    "glad sounds looks looking seems hope hopefully btw fyi lol omg haha update note monday tuesday wednesday "
    "thursday friday saturday sunday january february march april june july august september october november "
    "december mon tue wed thu fri sat sun pm god gosh goodness morning afternoon evening night love life work time "
    "music nature art food home school dear mr mrs ms dr speaking honestly basically having "
    "whoever whatever whichever somebody's"
)
PRONOUNS = closed(
    "i me you he him she her it we us they them myself yourself himself herself itself ourselves themselves this "
    "that these those everything something anything nothing everyone someone anyone nobody one ones how what when "
    "where why who which whom whose your yours mine ours theirs here there all both each every so such"
)
# What may stand behind a liked activity without belonging to it.
LOOSE_ENDS = closed(
    "and or but so because since too also now today lately recently again as although though while when most more "
    "best very & for instead anymore"
)
# A noun phrase ends before these.
PHRASE_END = closed(
    "in on at for with to from by because since when that which who whom and or but so as while after before over "
    "than into during about if though although until till through without within is am are was were be been has have "
    "had do does did will would can could not too very now today also instead anymore again lately recently "
    "especially particularly most more these those only just like & together back around near who's then no my his "
    "her its our their your up out off down away along upon behind outside"
)
# People one has without a tie that is kept.
_OTHER_KIN = closed(
    "cousin nephew niece uncle aunt auntie grandmother grandfather grandma grandpa granddad grandson granddaughter "
    "grandchild stepson stepdaughter stepbrother stepsister colleague coworker co-worker teammate classmate "
    "flatmate roommate housemate neighbour neighbor landlord landlady mother-in-law father-in-law sister-in-law "
    "brother-in-law son-in-law daughter-in-law stepmum stepmom stepmother stepdad stepfather goddaughter godson "
    "godmother godfather mentor tutor ex"
)
KIN = {
    "sister": ("SIBLING_OF", "she"),
    "brother": ("SIBLING_OF", "he"),
    "sibling": ("SIBLING_OF", ""),
    "twin": ("SIBLING_OF", ""),
    "wife": ("MARRIED_TO", "she"),
    "husband": ("MARRIED_TO", "he"),
    "spouse": ("MARRIED_TO", ""),
    "girlfriend": ("DATING", "she"),
    "boyfriend": ("DATING", "he"),
    "daughter": ("PARENT_OF", "she"),
    "son": ("PARENT_OF", "he"),
    "child": ("PARENT_OF", ""),
    "mother": ("~PARENT_OF", "she"),
    "mom": ("~PARENT_OF", "she"),
    "mum": ("~PARENT_OF", "she"),
    "father": ("~PARENT_OF", "he"),
    "dad": ("~PARENT_OF", "he"),
    "friend": ("FRIEND_OF", ""),
    "boss": ("REPORTS_TO", ""),
    "manager": ("REPORTS_TO", ""),
    "supervisor": ("REPORTS_TO", ""),
    "partner": ("DATING", ""),
    "fiancé": ("DATING", "he"),
    "fiancee": ("DATING", "she"),
    "fiancée": ("DATING", "she"),
    "hubby": ("MARRIED_TO", "he"),
    "sis": ("SIBLING_OF", "she"),
    "bro": ("SIBLING_OF", "he"),
    "mama": ("~PARENT_OF", "she"),
    "papa": ("~PARENT_OF", "he"),
    "kid": ("PARENT_OF", ""),
    "toddler": ("PARENT_OF", ""),
    "bestie": ("FRIEND_OF", ""),
    "buddy": ("FRIEND_OF", ""),
    "pal": ("FRIEND_OF", ""),
    **dict.fromkeys(sorted(_OTHER_KIN), ("", "")),
}
KIN_PLURALS = {
    "sisters": "sister",
    "brothers": "brother",
    "siblings": "sibling",
    "twins": "child",
    "daughters": "daughter",
    "sons": "son",
    "children": "child",
    "kids": "kid",
    "boys": "son",
    "girls": "daughter",
    "parents": "mother",
    "friends": "friend",
}
CALLERS = closed(
    "everyone everybody people friends colleagues folks family teammates coworkers classmates parents we they locals "
    "mates students neighbours neighbors insiders fans"
)
KIN_QUALIFIERS = closed(
    "older younger elder big little twin best good close old dear oldest eldest youngest middle line longtime "
    "lifelong new baby lovely dearest beloved sweet current great wonderful amazing childhood direct teenage adopted "
    "grown adult only"
)
ANIMALS = closed(
    "dog cat puppy kitten pup parrot rabbit bunny hamster ferret guinea goldfish fish turtle tortoise snake lizard "
    "gecko horse pony bird canary budgie cockatiel chicken hen goat sheep pig donkey iguana hedgehog rat mouse "
    "gerbil retriever labrador poodle beagle corgi terrier shepherd collie spaniel dachshund husky greyhound tabby "
    "kitty pooch doggy doggie kitties mutt labradoodle cockapoo chihuahua pug bulldog rottweiler dalmatian "
    "pomeranian maltese schnauzer whippet boxer mastiff dane samoyed malamute bichon siamese ragdoll sphynx cockerel "
    "alpaca llama pigeon finch parrotlet lovebird myna newt salamander degu stick-insect bee bees koi guppy betta "
    "sheepdog frog axolotl chinchilla parakeet cockatoo macaw tarantula duck goose gosling quail peacock mule "
    "donkey lamb spitz samoyed"
)
OWNED = closed(
    "car bike bicycle motorcycle motorbike scooter boat sailboat narrowboat canoe kayak van truck house apartment "
    "flat cottage cabin farm guitar piano violin cello drum ukulele flute saxophone camera laptop telescope caravan "
    "campervan yacht vineyard allotment tractor houseboat dinghy kiln loom tandem moped drone harp banjo trumpet "
    "trombone clarinet accordion synthesizer typewriter greenhouse chalet bungalow villa farmhouse condo motorhome "
    "printer keyboard microscope bookshop shop bakery café cafe restaurant business store boutique"
)
LANGUAGES = closed(
    "english spanish french german italian portuguese russian mandarin cantonese chinese japanese korean arabic "
    "hindi urdu bengali punjabi tamil telugu turkish persian farsi polish czech slovak hungarian romanian bulgarian "
    "greek serbian croatian bosnian slovenian ukrainian dutch flemish swedish norwegian danish finnish icelandic "
    "estonian latvian lithuanian irish welsh scottish gaelic basque catalan galician hebrew yiddish swahili amharic "
    "yoruba igbo hausa zulu xhosa afrikaans somali vietnamese thai lao khmer burmese malay indonesian tagalog "
    "filipino javanese nepali sinhala marathi gujarati kannada malayalam pashto kurdish armenian georgian "
    "azerbaijani kazakh uzbek mongolian tibetan maltese albanian macedonian latin esperanto quechua maori hawaiian "
    "breton frisian sign twi akan wolof fula tigrinya guarani aymara nahuatl romansh sami faroese luxembourgish occitan "
    "ladino creole hakka hokkien taiwanese shanghainese teochew cebuano ilocano hmong uyghur tatar chechen dari sindhi "
    "assamese odia konkani bhojpuri dzongkha tetum samoan tongan fijian manx cornish romani sorbian walloon kinyarwanda "
    "luganda shona tswana sotho ndebele lingala oromo berber asl bsl ewe ga kikuyu luo malagasy"
)
ROLES = closed(
    "accountant actor actress administrator advisor adviser agent analyst apprentice archaeologist architect "
    "archivist artist assistant astronomer athlete attorney auditor author baker banker barber barista bartender "
    "beekeeper biologist bookkeeper botanist brewer broker builder butcher buyer captain caretaker carpenter "
    "cartographer cashier chair chairman chairperson chairwoman chaplain chef chemist chief clerk cleaner coach "
    "colonel columnist comedian composer conductor consultant controller cook coordinator copywriter counselor "
    "counsellor courier curator dancer dean dentist designer detective developer director dispatcher doctor "
    "dramaturg driver economist editor electrician engineer entrepreneur estimator executive farmer filmmaker "
    "firefighter fisherman florist foreman gardener geologist glazier goldsmith guide hairdresser head historian "
    "host housekeeper illustrator inspector instructor intern interpreter investigator janitor jeweler jeweller "
    "joiner journalist judge keeper laborer landscaper lawyer lead lecturer librarian lieutenant lifeguard linguist "
    "locksmith machinist manager marketer mason mathematician mayor mechanic mechanist mediator meteorologist "
    "midwife miller minister model musician nanny negotiator novelist nurse nutritionist officer operator optician "
    "optometrist organist painter paralegal paramedic pastor pathologist pediatrician pharmacist philosopher "
    "photographer physician physicist physiotherapist pianist pilot plumber podcaster poet policeman policewoman "
    "porter potter president priest principal printer producer professor programmer projectionist proofreader "
    "psychiatrist psychologist publicist ranger realtor receptionist recruiter registrar reporter researcher "
    "restorer sailor salesperson scheduler scientist sculptor secretary sergeant singer social soldier solicitor "
    "sommelier specialist statistician steward stonemason strategist streamer superintendent supervisor surgeon "
    "surveyor tailor teacher tech technician technologist teller tester therapist trainer translator treasurer "
    "trustee tutor typist undertaker underwriter upholsterer usher vet veterinarian videographer violinist waiter "
    "waitress warden weaver welder writer zookeeper worker ceo cto cfo coo vp partner blacksmith cobbler cellist "
    "drummer guitarist violist harpist percussionist soprano tenor baritone choreographer acupuncturist anaesthetist "
    "anesthesiologist cardiologist dermatologist neurologist oncologist radiologist ecologist entomologist "
    "geographer anthropologist sociologist zoologist oceanographer hydrologist actuary comptroller ombudsman "
    "concierge doorman rider cyclist jockey goalkeeper striker midfielder referee umpire guard bouncer bodyguard "
    "conservator cheesemaker winemaker distiller roaster forager shepherd gamekeeper groundskeeper arborist "
    "horticulturist signwriter animator undergraduate postgraduate pupil freshman sophomore cinematographer "
    "showrunner screenwriter playwright lyricist songwriter rapper dj vlogger blogger influencer freelancer "
    "contractor founder co-founder owner proprietor landlord speaker spokesperson spokeswoman spokesman ambassador "
    "consul diplomat senator councillor councilor governor deputy marshal sheriff constable corporal caterer "
    "chocolatier butler seamstress dressmaker milliner stylist beautician masseur masseuse osteopath chiropractor "
    "podiatrist orthodontist hygienist phlebotomist radiographer sonographer dietitian dietician student trainee "
    "luthier farrier falconer perfumer cooper thatcher sexton verger curate vicar bishop imam monk nun abbot deacon "
    "lexicographer geneticist astrophysicist medic paediatrician obstetrician headteacher bursar provost rector chancellor "
    "docent adjunct aide stewardess purser skipper bosun presenter broadcaster newsreader critic essayist biographer "
    "cartoonist calligrapher engraver gilder tanner saddler tiler roofer plasterer scaffolder fitter vintner confectioner "
    "fishmonger greengrocer grocer ironmonger draper coroner magistrate barrister notary bailiff lobbyist campaigner "
    "organiser organizer fundraiser evangelist headmistress gp sysadmin economist stockbroker trader banker bellringer "
    "wicketkeeper rower organist trombonist flautist flutist oboist bassist clarinettist cooper potter ferryman "
    "postman postwoman signalman linesman lineman nightwatchman tiler bricklayer labourer farmhand ploughman stablehand "
    "postdoc fellow headteacher headmaster headmistress governess bookseller bookbinder stagehand roadie sre dba"
)
ROLE_ENDINGS = ("ologist", "maker", "smith", "wright", "blower", "keeper", "grapher", "physicist", "therapist", "ographer")


def is_role(low: str) -> bool:
    """Whether a word is an occupation or office."""
    return low in ROLES or low.endswith(ROLE_ENDINGS)


# Roles that a word before them often turns into something else ("hard worker", "role model").
LOOSE_ROLES = closed("partner speaker worker owner lead host guide model fellow guard founder head dancer writer cook driver")
CLUB_KINDS = closed("church forum program programme class choir study")
LEARNERS = closed("student undergraduate postgraduate freshman sophomore pupil undergrad")
GROUP_WORDS = closed(
    "club choir collective band society orchestra guild association league team group gym circle troupe ensemble "
    "union klub chorus quartet trio committee council board community crew squad fellowship brigade party federation "
    "network alliance chapter gymnasium troop cooperative co-op lodge clan"
)
SCHOOL_WORDS = closed(
    "university college school academy institute polytechnic conservatory conservatoire lyceum gymnasium seminary "
    "universität université universidad università primary elementary high uni"
)
EVENT_WORDS = closed(
    "summit conference workshop festival concert expo fair retreat seminar symposium convention meetup hackathon "
    "gala parade wedding marathon show exhibition exhibit webinar forum bootcamp lecture rally camp con congress "
    "biennale fest carnival reunion ceremony tournament championship cup derby ball market open days week day "
    "reading recital fundraiser race triathlon regatta auction screening premiere match game concerts exposition jam "
    "picnic barbecue bbq convocation funeral graduation christening class session meeting"
)
STATUSES = closed(
    "done blocked closed open opened reopened resolved fixed merged shipped deployed released cancelled canceled "
    "paused pending finished completed complete approved rejected archived backlog progress review testing qa todo "
    "staging ready live deferred stalled triaged abandoned postponed duplicate won't hold delayed underway"
)
TITLES = closed(
    "dr mr mrs ms prof professor sir dame lady lord captain sergeant colonel major lieutenant father sister judge "
    "master teacher uncle aunt auntie grandma grandpa grandmother grandfather mom mum dad engineer manager director "
    "coach doctor nurse mayor president senator reverend rabbi chef inspector detective officer general corporal "
    "admiral commander baron baroness count countess duke duchess nana granny grandad miss mx"
)
PARTICLES = closed("of & de van von der den la le du del di da al bin ibn y do dos das zu af av ter ten")
COUNTS = closed("another one two three four five six seven eight nine ten some several many a an the")
PLACES = closed(
    "africa america asia europe england scotland wales ireland britain uk usa us france germany spain italy portugal "
    "greece turkey norway sweden finland denmark iceland poland austria switzerland belgium netherlands russia "
    "ukraine china japan korea india canada mexico brazil argentina chile peru colombia egypt morocco kenya nigeria "
    "ghana israel iran iraq thailand vietnam indonesia malaysia singapore philippines australia london paris berlin "
    "madrid rome lisbon athens vienna prague budapest warsaw dublin edinburgh oslo stockholm copenhagen helsinki "
    "amsterdam brussels zurich geneva munich hamburg barcelona milan moscow kyiv istanbul cairo nairobi lagos dubai "
    "delhi mumbai bangalore beijing shanghai shenzhen hongkong tokyo osaka kyoto seoul bangkok hanoi jakarta manila "
    "sydney melbourne toronto vancouver montreal chicago boston seattle houston dallas denver miami atlanta "
    "philadelphia phoenix austin portland detroit california texas florida york francisco angeles diego jose "
    "washington oregon ohio georgia michigan virginia colorado hawaii alaska manchester birmingham liverpool bristol "
    "glasgow cardiff leeds oxford cambridge town home school college"
)
