"""Characters of symbol fonts in Unicode.

Fonts such as Symbol and Wingdings show pictures in the places of Latin letters. Word stores their characters with the
code of that place, most often moved to the private use area (U+F020 to U+F0FF). The tables follow the assignments that
were made when these pictures came into Unicode; each row holds 16 codes from 0x20 on, U+FFFD where Unicode has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_SYMBOL = (
    " !∀#∃%&∍()*+,−./"  # 20
    "0123456789:;<=>?"  # 30
    "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟ"  # 40
    "ΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"  # 50
    "‾αβχδεφγηιϕκλμνο"  # 60
    "πθρστυϖωξψζ{|}~�"  # 70
    "����������������"  # 80
    "����������������"  # 90
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓"  # A0
    "°±″≥×∝∂•÷≠≡≈…⏐⎯↵"  # B0
    "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉"  # C0
    "∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓"  # D0
    "◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"  # E0
    "\uf8ff〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭�"  # F0
)
_WINGDINGS = (
    " 🖉✂✁👓🕭🕮🕯🕿✆🖂🖃📪📫📬📭"  # 20
    "🗀🗁🗎🗏🗐🗄⌛🖮🖰🖲🖳🖴🖫🖬✇✍"  # 30
    "🖎✌🖏👍👎☜☞☝☟🖐☺😐☹💣🕱🏳"  # 40
    "🏱✈☼🌢❄🕆✞🕈✠✡☪☯🕉☸♈♉"  # 50
    "♊♋♌♍♎♏♐♑♒♓🙰🙵⚫🔾◼🞏"  # 60
    "🞐❑❒🞟⧫◆❖⬩⌧⮹⌘🏵🏶🙶🙷▯"  # 70
    "🄋➀➁➂➃➄➅➆➇➈➉🄌➊➋➌➍"  # 80
    "➎➏➐➑➒➓🙢🙠🙡🙣🙞🙜🙝🙟∙•"  # 90
    "⬝⭘🞆🞈🞊🞋🔿▪🞎🟁🟅★🟋🟏🟓🟑"  # A0
    "⯐⌖⯎⯏⯑✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘"  # B0
    "🕙🕚🕛⮰⮱⮲⮳⮴⮵⮶⮷🙪🙫🙕🙔🙗"  # C0
    "🙖🙐🙑🙒🙓⌫⌦⮘⮚⮙⮛⮈⮊⮉⮋🡨"  # D0
    "🡪🡩🡫🡬🡭🡯🡮🡸🡺🡹🡻🡼🡽🡿🡾⇦"  # E0
    "⇨⇧⇩⬄⇳⬁⬀⬃⬂🢬🢭🗶✓🗷🗹�"  # F0
)
_WINGDINGS_2 = (
    " 🖊🖋🖌🖍✄✀🕾🕽🗅🗆🗇🗈🗉🗊🗋"  # 20
    "🗌🗍📋🗑🗔🖵🖶🖷🖸🖭🖯🖱🖒🖓🖘🖙"  # 30
    "🖚🖛👈👉🖜🖝🖞🖟🖠🖡👆👇🖢🖣🖑🗴"  # 40
    "🗸🗵☑⮽☒⮾⮿🛇⦸🙱🙴🙲🙳‽🙹🙺"  # 50
    "🙻🙦🙤🙥🙧🙚🙘🙙🙛⓪①②③④⑤⑥"  # 60
    "⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿�"  # 70
    "☉🌕☽☾⸿✝🕇🕜🕝🕞🕟🕠🕡🕢🕣🕤"  # 80
    "🕥🕦🕧🙨🙩⋅🞄⦁●○🞅🞇🞉⊙⦿🞌"  # 90
    "🞍◾■□🞑🞒🞓🞔▣🞕🞖🞗🞘⬩⬥◇"  # A0
    "🞚◈🞛🞜🞝🞞⬪⬧◊🞠◖◗⯊⯋⯀⯁"  # B0
    "⬟⯂⬣⬢⯃⯄🞡🞢🞣🞤🞥🞦🞧🞨🞩🞪"  # C0
    "🞫🞬🞭🞮🞯🞰🞱🞲🞳🞴🞵🞶🞷🞸🞹🞺"  # D0
    "🞻🞼🞽🞾🞿🟀🟂🟄🟆🟉🟊✶🟌🟎🟐🟒"  # E0
    "✹🟃🟇✯🟍🟔⯌⯍※⁂������"  # F0
)
_WINGDINGS_3 = (
    " ⭠⭢⭡⭣⭦⭧⭩⭨⭰⭲⭱⭳⭶⭸⭻"  # 20
    "⭽⭤⭥⭪⭬⭫⭭⭍⮠⮡⮢⮣⮤⮥⮦⮧"  # 30
    "⮐⮑⮒⮓⮀⮃⭾⭿⮄⮆⮅⮇⮏⮍⮎⮌"  # 40
    "⭮⭯⎋⌤⌃⌥␣⍽⇪⮸🢠🢡🢢🢣🢤🢥"  # 50
    "🢦🢧🢨🢩🢪🢫🡐🡒🡑🡓🡔🡕🡗🡖🡘🡙"  # 60
    "▲▼△▽◀▶◁▷◣◢◤◥🞀🞂🞁�"  # 70
    "🞃⯅⯆⯇⯈⮜⮞⮝⮟🠐🠒🠑🠓🠔🠖🠕"  # 80
    "🠗🠘🠚🠙🠛🠜🠞🠝🠟🠀🠂🠁🠃🠄🠆🠅"  # 90
    "🠇🠈🠊🠉🠋🠠🠢🠤🠦🠨🠪🠬🢜🢝🢞🢟"  # A0
    "🠮🠰🠲🠴🠶🠸🠺🠹🠻🢘🢚🢙🢛🠼🠾🠽"  # B0
    "🠿🡀🡂🡁🡃🡄🡆🡅🡇⮨⮩⮪⮫⮬⮭⮮"  # C0
    "⮯🡠🡢🡡🡣🡤🡥🡧🡦🡰🡲🡱🡳🡴🡵🡷"  # D0
    "🡶🢀🢂🢁🢃🢄🢅🢇🢆🢐🢒🢑🢓🢔🢖🢕"  # E0
    "🢗���������������"  # F0
)
_WEBDINGS = (
    " 🕷🕸🕲🕶🏆🎖🖇🗨🗩🗰🗱🌶🎗🙾🙼"  # 20
    "🗕🗖🗗⏴⏵⏶⏷⏪⏩⏮⏭⏸⏹⏺🗚🗳"  # 30
    "🛠🏗🏘🏙🏚🏜🏭🏛🏠🏖🏝🛣🔍🏔👁👂"  # 40
    "🏞🏕🛤🏟🛳🕬🕫🕨🔈🎔🎕🗬🙽🗭🗪🗫"  # 50
    "⮔✔🚲⬜🛡📦🛱⬛🚑🛈🛩🛰🟈🕴⬤🛥"  # 60
    "🚔🗘🗙❓🛲🚇🚍⛳⦸⊖🚭🗮⏐🗯🗲�"  # 70
    "🚹🚺🛉🛊🚼👽🏋⛷🏂🏌🏊🏄🏍🏎🚘🗠"  # 80
    "🛢💰🏷💳👪🗡🗢🗣✯🖄🖅🖃🖆🖹🖺🖻"  # 90
    "🕵🕰🖽🖾📋🗒🗓🕮📚🗞🗟🗃🗂🖼🎭🎜"  # A0
    "🎘🎙🎧💿🎞📷🎟🎬📽📹📾📻🎚🎛📺💻"  # B0
    "🖥🖦🖧🕹🎮🕻🕼📟🖁🖀🖨🖩🖿🖪🗜🔒"  # C0
    "🔓🗝📥📤🕳🌣🌤🌥🌦☁🌨🌧🌩🌪🌬🌫"  # D0
    "🌜🌡🛋🛏🍽🍸🛎🛍Ⓟ♿🛆🖈🎓🗤🗥🗦"  # E0
    "🗧🛪🐿🐦🐟🐕🐈🙬🙮🙭🙯🗺🌍🌏🌎🕊"  # F0
)

_TABLES = {
    "symbol": _SYMBOL,
    "symbolmt": _SYMBOL,
    "wingdings": _WINGDINGS,
    "wingdings2": _WINGDINGS_2,
    "wingdings3": _WINGDINGS_3,
    "webdings": _WEBDINGS,
}
_FIRST, _PRIVATE = 0x20, 0xF000
_UNKNOWN = "\ufffd"
PRIVATE_USE = re.compile("[\uf020-\uf0ff]")


def is_symbol_font(font: str) -> bool:
    return _key(font) in _TABLES


def symbol_text(code: int, font: str) -> str:
    """What a symbol font shows for a code; the private use character itself where Unicode has no such picture."""
    low = code - _PRIVATE if _PRIVATE < code <= _PRIVATE + 0xFF else code
    table = _TABLES.get(_key(font))
    if table is not None and _FIRST <= low < _FIRST + len(table):
        found = table[low - _FIRST]
        return found if found != _UNKNOWN else chr(_PRIVATE + low)
    if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000:
        return chr(code)
    return ""


def map_private_use(text: str, font: str) -> str:
    """Text of a run in a symbol font: its private use characters in Unicode; the rest as it is."""
    if not is_symbol_font(font):
        return text
    replace: Callable[[re.Match[str]], str] = lambda match: symbol_text(ord(match[0]), font)  # noqa: E731
    return PRIVATE_USE.sub(replace, text)


def _key(font: str) -> str:
    return font.replace(" ", "").lower()
