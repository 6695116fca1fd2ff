"""Unicode signs and their LaTeX commands, one to one, and the names that LaTeX sets upright.

Data only: whoever writes LaTeX and whoever reads it back uses the same table. Every command is known to KaTeX in strict
mode. A letter (by its compatibility form) has one command and the command has one letter, so that letters can be
counted after a conversion.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_PAIRS = (
    # Greek
    "Γ Gamma  Δ Delta  Θ Theta  Λ Lambda  Ξ Xi  Π Pi  Σ Sigma  Υ Upsilon  Φ Phi  Ψ Psi  Ω Omega  α alpha  "
    "β beta  γ gamma  δ delta  ε varepsilon  ζ zeta  η eta  θ theta  ι iota  κ kappa  λ lambda  μ mu  "
    "ν nu  ξ xi  ο omicron  π pi  ρ rho  ς varsigma  σ sigma  τ tau  υ upsilon  φ varphi  χ chi  ψ psi  "
    "ω omega  ϑ vartheta  ϕ phi  ϖ varpi  ϝ digamma  ϰ varkappa  ϱ varrho  ϵ epsilon  "
    # Letter-like
    "ı imath  ȷ jmath  ℏ hbar  ℑ Im  ℓ ell  ℘ wp  ℜ Re  ℧ mho  Ⅎ Finv  ℵ aleph  ℶ beth  ℷ gimel  ℸ daleth  "
    "⅁ Game  "
    # Arrows
    "← leftarrow  ↑ uparrow  → rightarrow  ↓ downarrow  ↔ leftrightarrow  ↕ updownarrow  ↖ nwarrow  "
    "↗ nearrow  ↘ searrow  ↙ swarrow  ↚ nleftarrow  ↛ nrightarrow  ↞ twoheadleftarrow  "
    "↠ twoheadrightarrow  ↢ leftarrowtail  ↣ rightarrowtail  ↤ mapsfrom  ↦ mapsto  ↩ hookleftarrow  "
    "↪ hookrightarrow  ↫ looparrowleft  ↬ looparrowright  ↭ leftrightsquigarrow  ↮ nleftrightarrow  ↰ Lsh  "
    "↱ Rsh  ↶ curvearrowleft  ↷ curvearrowright  ↺ circlearrowleft  ↻ circlearrowright  ↼ leftharpoonup  "
    "↽ leftharpoondown  ↾ upharpoonright  ↿ upharpoonleft  ⇀ rightharpoonup  ⇁ rightharpoondown  "
    "⇂ downharpoonright  ⇃ downharpoonleft  ⇄ rightleftarrows  ⇆ leftrightarrows  ⇇ leftleftarrows  "
    "⇈ upuparrows  ⇉ rightrightarrows  ⇊ downdownarrows  ⇋ leftrightharpoons  ⇌ rightleftharpoons  "
    "⇍ nLeftarrow  ⇎ nLeftrightarrow  ⇏ nRightarrow  ⇐ Leftarrow  ⇑ Uparrow  ⇒ Rightarrow  ⇓ Downarrow  "
    "⇔ Leftrightarrow  ⇕ Updownarrow  ⇚ Lleftarrow  ⇛ Rrightarrow  ⇝ rightsquigarrow  ⇠ dashleftarrow  "
    "⇢ dashrightarrow  ⟵ longleftarrow  ⟶ longrightarrow  ⟷ longleftrightarrow  ⟸ Longleftarrow  "
    "⟹ Longrightarrow  ⟺ Longleftrightarrow  ⟼ longmapsto  "
    # Operators and relations
    "∀ forall  ∁ complement  ∂ partial  ∃ exists  ∄ nexists  ∅ emptyset  ∇ nabla  ∈ in  ∉ notin  ∋ ni  "
    "∌ notni  ∍ backepsilon  ∏ prod  ∐ coprod  ∑ sum  ∓ mp  ∔ dotplus  ∖ smallsetminus  ∗ ast  ∘ circ  "
    "√ surd  ∝ propto  ∞ infty  ∠ angle  ∡ measuredangle  ∢ sphericalangle  ∣ mid  ∤ nmid  ∥ parallel  "
    "∦ nparallel  ∧ wedge  ∨ vee  ∩ cap  ∪ cup  ∫ int  ∬ iint  ∭ iiint  ∮ oint  ∯ oiint  ∰ oiiint  "
    "∴ therefore  ∵ because  ∹ eqcolon  ∼ sim  ∽ backsim  ≀ wr  ≁ nsim  ≂ eqsim  ≃ simeq  ≅ cong  "
    "≈ approx  ≊ approxeq  ≍ asymp  ≎ Bumpeq  ≏ bumpeq  ≐ doteq  ≑ doteqdot  ≒ fallingdotseq  "
    "≓ risingdotseq  ≔ coloneqq  ≕ eqqcolon  ≖ eqcirc  ≗ circeq  ≜ triangleq  ≠ ne  ≡ equiv  ≤ le  ≥ ge  "
    "≦ leqq  ≧ geqq  ≨ lneqq  ≩ gneqq  ≪ ll  ≫ gg  ≬ between  ≮ nless  ≯ ngtr  ≰ nleq  ≱ ngeq  ≲ lesssim  "
    "≳ gtrsim  ≶ lessgtr  ≷ gtrless  ≺ prec  ≻ succ  ≼ preccurlyeq  ≽ succcurlyeq  ≾ precsim  ≿ succsim  "
    "⊀ nprec  ⊁ nsucc  ⊂ subset  ⊃ supset  ⊆ subseteq  ⊇ supseteq  ⊈ nsubseteq  ⊉ nsupseteq  ⊊ subsetneq  "
    "⊋ supsetneq  ⊎ uplus  ⊏ sqsubset  ⊐ sqsupset  ⊑ sqsubseteq  ⊒ sqsupseteq  ⊓ sqcap  ⊔ sqcup  ⊕ oplus  "
    "⊖ ominus  ⊗ otimes  ⊘ oslash  ⊙ odot  ⊚ circledcirc  ⊛ circledast  ⊝ circleddash  ⊞ boxplus  "
    "⊟ boxminus  ⊠ boxtimes  ⊡ boxdot  ⊢ vdash  ⊣ dashv  ⊤ top  ⊥ bot  ⊨ vDash  ⊩ Vdash  ⊪ Vvdash  "
    "⊬ nvdash  ⊭ nvDash  ⊮ nVdash  ⊯ nVDash  ⊲ vartriangleleft  ⊳ vartriangleright  ⊴ trianglelefteq  "
    "⊵ trianglerighteq  ⊶ origof  ⊷ imageof  ⊸ multimap  ⊺ intercal  ⊻ veebar  ⊼ barwedge  ⋀ bigwedge  "
    "⋁ bigvee  ⋂ bigcap  ⋃ bigcup  ⋄ diamond  ⋅ cdot  ⋆ star  ⋇ divideontimes  ⋈ bowtie  ⋉ ltimes  "
    "⋊ rtimes  ⋋ leftthreetimes  ⋌ rightthreetimes  ⋍ backsimeq  ⋎ curlyvee  ⋏ curlywedge  ⋐ Subset  "
    "⋑ Supset  ⋒ Cap  ⋓ Cup  ⋔ pitchfork  ⋖ lessdot  ⋗ gtrdot  ⋘ lll  ⋙ ggg  ⋚ lesseqgtr  ⋛ gtreqless  "
    "⋞ curlyeqprec  ⋟ curlyeqsucc  ⋠ npreceq  ⋡ nsucceq  ⋦ lnsim  ⋧ gnsim  ⋨ precnsim  ⋩ succnsim  "
    "⋪ ntriangleleft  ⋫ ntriangleright  ⋬ ntrianglelefteq  ⋭ ntrianglerighteq  ⋮ vdots  ⋯ cdots  ⋱ ddots  "
    "⨀ bigodot  ⨁ bigoplus  ⨂ bigotimes  ⨄ biguplus  ⨆ bigsqcup  ⨿ amalg  ⩽ leqslant  ⩾ geqslant  "
    "⪅ lessapprox  ⪆ gtrapprox  ⪇ lneq  ⪈ gneq  ⪉ lnapprox  ⪊ gnapprox  ⪋ lesseqqgtr  ⪌ gtreqqless  "
    "⪕ eqslantless  ⪖ eqslantgtr  ⪯ preceq  ⪰ succeq  ⪵ precneqq  ⪶ succneqq  ⪷ precapprox  ⪸ succapprox  "
    "⪹ precnapprox  ⪺ succnapprox  ⫅ subseteqq  ⫆ supseteqq  ⫋ subsetneqq  ⫌ supsetneqq  "
    # Other signs
    "£ pounds  ¥ yen  § S  ¬ neg  ® circledR  ° degree  ± pm  × times  ÷ div  † dagger  ‡ ddagger  "
    "… ldots  ′ prime  ‵ backprime  ⌈ lceil  ⌉ rceil  ⌊ lfloor  ⌋ rfloor  ⌜ ulcorner  ⌝ urcorner  "
    "⌞ llcorner  ⌟ lrcorner  ⌢ frown  ⌣ smile  ⎰ lmoustache  ⎱ rmoustache  Ⓢ circledS  ╱ diagup  "
    "╲ diagdown  ■ blacksquare  □ square  ▲ blacktriangle  △ triangle  ▶ blacktriangleright  "
    "▹ triangleright  ▼ blacktriangledown  ▽ bigtriangledown  ◀ blacktriangleleft  ◃ triangleleft  "
    "◊ lozenge  ◯ bigcirc  ★ bigstar  ♠ spadesuit  ♡ heartsuit  ♢ diamondsuit  ♣ clubsuit  ♭ flat  "
    "♮ natural  ♯ sharp  ✓ checkmark  ✠ maltese  ⟦ llbracket  ⟧ rrbracket  ⟨ langle  ⟩ rangle  ⟮ lgroup  "
    "⟯ rgroup  ⦃ lBrace  ⦄ rBrace  ⧫ blacklozenge  "
)


def _read_pairs(text: str) -> dict[str, str]:
    words = text.split()
    return {char: f"\\{name}" for char, name in zip(words[::2], words[1::2], strict=True)}


COMMANDS: Mapping[str, str] = MappingProxyType(_read_pairs(_PAIRS))
"""Sign to command: "α" to "\\alpha"."""

CHARACTERS: Mapping[str, str] = MappingProxyType({command: char for char, command in COMMANDS.items()})
"""Command to sign; the inverse of COMMANDS."""

FUNCTIONS = frozenset(
    (
        "arccos arcctg arcsin arctan arctg ch cos cosec cosh cot cotg coth csc ctg cth deg det dim exp gcd hom inf "
        "ker lg lim liminf limsup ln log max min Pr sec sh sin sinh sup tan tanh tg th injlim projlim"
    ).split()
)
"""Names of functions that are commands: "sin" is written "\\sin"."""

LIMIT_FUNCTIONS = frozenset("det gcd inf injlim lim liminf limsup max min Pr projlim sup".split())
"""Those of FUNCTIONS that set their limits above and below."""

FONTS: Mapping[str, str] = MappingProxyType(
    {
        "BOLD": "\\mathbf",
        "ITALIC": "",
        "BOLD ITALIC": "\\boldsymbol",
        "SCRIPT": "\\mathcal",
        "BOLD SCRIPT": "\\boldsymbol\\mathcal",
        "FRAKTUR": "\\mathfrak",
        "BLACK-LETTER": "\\mathfrak",
        "BOLD FRAKTUR": "\\boldsymbol\\mathfrak",
        "DOUBLE-STRUCK": "\\mathbb",
        "SANS-SERIF": "\\mathsf",
        "SANS-SERIF BOLD": "\\boldsymbol\\mathsf",
        "SANS-SERIF ITALIC": "\\mathsf",
        "SANS-SERIF BOLD ITALIC": "\\boldsymbol\\mathsf",
        "MONOSPACE": "\\mathtt",
    }
)
"""Style words in the Unicode name of a mathematical letter ("MATHEMATICAL BOLD SCRIPT CAPITAL A") to font commands; two
commands are nested, "" is the usual italic."""
