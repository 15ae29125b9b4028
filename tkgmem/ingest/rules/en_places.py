"""English names of places: well-known towns, and words that mark a name as that of a place.

A place that is missing only costs a fact.
"""

from __future__ import annotations

from tkgmem.ingest.rules import en_words as words

_TOWNS = words.closed(
    "aarhus aberdeen abuja accra adelaide ahmedabad albany albuquerque aleppo algiers alicante almaty amman ankara "
    "antwerp arequipa asheville asuncion auckland avignon baghdad baku baltimore bangalore basel bath baton bayonne "
    "beirut belfast belgrade bergen berkeley bern bilbao boise bologna bonn bordeaux boulder braga brasilia bratislava "
    "bremen brighton brisbane brno bruges bucharest buffalo bursa busan calgary cali canberra caracas cartagena "
    "casablanca chandigarh charleston charlotte chengdu chennai chester chiangmai chongqing christchurch cincinnati "
    "cleveland cologne colombo columbus cordoba cork coventry cusco dakar dalian damascus darwin derby dhaka dijon "
    "donegal dortmund dresden dubrovnik duluth dundee dunedin durban durham eindhoven essen eugene exeter florence "
    "fortaleza frankfurt freiburg fresno fukuoka galway gdansk genoa ghent girona gothenburg granada graz grenoble "
    "guadalajara guangzhou gujarat haifa halifax hamilton hangzhou hanover harare harbin hartford havana heidelberg "
    "hiroshima hobart honolulu hull hyderabad indianapolis innsbruck inverness ipswich islamabad izmir jaipur jerusalem "
    "johannesburg kampala karachi katowice khartoum kigali kingston kinshasa knoxville kobe kolkata krakow kunming kuwait "
    "lahore lausanne leicester leiden leipzig leuven lille lima limerick lincoln linz ljubljana lodz louisville luanda "
    "lucerne lucknow lugano lund lusaka lviv lyon maastricht macau madison madurai malaga malmo malmö manama mannheim "
    "maputo marrakech marseille medellin memphis mendoza milwaukee minneapolis minsk mombasa monterrey montevideo "
    "montpellier "
    "mysore nagoya nairobi nanjing nantes naples nashville newcastle nice ningbo norwich nottingham nuremberg "
    "oakland oaxaca "
    "odense odessa omaha orlando osijek ottawa oviedo padua palermo palma panama perth perugia pisa pittsburgh plovdiv "
    "plymouth porto portsmouth poznan pretoria providence pune qingdao quebec quito rabat raleigh ravenna recife reading "
    "rennes reno reykjavik riga rijeka rochester rosario rotterdam rouen sacramento salamanca salvador salzburg santander "
    "santiago santos sapporo sarajevo savannah sendai seville sheffield siena sofia southampton spokane stavanger "
    "strasbourg "
    "stuttgart suzhou swansea tacoma taipei tallinn tampa tampere tashkent tbilisi tehran tijuana toledo toulouse trieste "
    "tromsø tromso trondheim tucson tulsa tunis turin turku tulum uppsala utrecht valencia valletta valparaiso varanasi "
    "venice verona victoria vilnius whitby wellington winnipeg wolverhampton wroclaw wuhan xiamen xian yerevan "
    "yokohama york "
    "changsha haikou xian tianjin shenyang dalian zhengzhou kaifeng guilin lhasa zadar zagreb zaragoza arizona "
    "nevada utah idaho montana wyoming nebraska kansas oklahoma iowa missouri minnesota "
    "wisconsin illinois indiana kentucky tennessee alabama mississippi louisiana arkansas carolina maryland delaware "
    "jersey "
    "connecticut vermont maine massachusetts hampshire ontario alberta manitoba saskatchewan queensland tasmania bavaria "
    "tuscany sicily andalusia catalonia brittany provence normandy cornwall devon kent sussex yorkshire cumbria somerset "
    "croatia serbia slovenia slovakia hungary romania bulgaria albania estonia latvia lithuania belarus moldova "
    "cyprus malta "
    "luxembourg armenia azerbaijan kazakhstan uzbekistan mongolia nepal bangladesh cambodia laos taiwan pakistan "
    "afghanistan "
    "jordan lebanon syria qatar tunisia algeria libya sudan ethiopia uganda tanzania rwanda zambia zimbabwe botswana "
    "namibia "
    "senegal cameroon angola mozambique madagascar ecuador bolivia paraguay uruguay venezuela guatemala honduras "
    "cuba jamaica"
)
_MARKS = words.closed(
    "town city village county street avenue road lane bay island islands beach valley hill hills springs heights "
    "falls lake "
    "port river coast province state region district suburb downtown outskirts countryside"
)
_FIRSTS = frozenset(("port", "fort", "mount", "saint", "st.", "upper", "lower", "san"))
_ENDINGS = ("ville", "burg", "burgh", "shire", "stad", "stadt", "grad", "borough", "polis", "furt", "haven", "abad", "pur")
_PART_OF_PLACE = frozenset(
    ("new", "the", "south", "north", "east", "west", "san", "los", "hong", "kong", "united", "kingdom", "states")
)


def is_place(name: str) -> bool:
    """Whether a name is a well-known place, or a home or school without a name."""
    return all(word in words.PLACES or word in _TOWNS or word in _PART_OF_PLACE for word in name.lower().split())


def sounds_like_place(name: str) -> bool:
    """Whether a name is, or ends like, that of a place.

    >>> sounds_like_place("Graz"), sounds_like_place("Port Ellery"), sounds_like_place("Notely")
    (True, True, False)
    """
    parts = name.lower().split()
    marked = parts[-1:] and (parts[-1] in _MARKS or parts[0] in _FIRSTS or parts[-1].endswith(_ENDINGS))
    return is_place(name) or bool(marked)
