"""Begin and end of complex fields, found out before a story is read."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from lrdoc.parsers.docx.names import MC, W

_LOOK_EVERY = 1_000
"""Field characters between two looks whether to go on."""
_FLD_CHAR = W + "fldChar"
_FLD_CHAR_TYPE = W + "fldCharType"
_STORIES = frozenset({W + "txbxContent", W + "footnote", W + "endnote", W + "comment"})


def find_unpaired(
    root: etree._Element, shows_insertions: bool, shows_deletions: bool, look: Callable[[], None]
) -> frozenset[etree._Element]:
    """w:fldChar elements to pass over: begins that never end and ends that never began.

    A begin without an end would turn everything after it into an instruction.
    """
    dropped = set()
    if not shows_deletions:
        dropped |= {W + "del", W + "moveFrom"}
    if not shows_insertions:
        dropped |= {W + "ins", W + "moveTo"}
    stacks: dict[etree._Element, list[etree._Element]] = {}
    unpaired: set[etree._Element] = set()
    story_of: dict[etree._Element, etree._Element | None] = {root: root}
    for number, element in enumerate(root.iter(_FLD_CHAR)):
        if not number % _LOOK_EVERY:
            look()
        story = _story(element, story_of, dropped)
        if story is None:
            continue
        kind = element.get(_FLD_CHAR_TYPE)
        stack = stacks.setdefault(story, [])
        if kind == "begin":
            stack.append(element)
        elif kind == "end":
            if stack:
                stack.pop()
            else:
                unpaired.add(element)
    for stack in stacks.values():
        unpaired.update(stack)
    return frozenset(unpaired)


def _story(
    element: etree._Element, known: dict[etree._Element, etree._Element | None], dropped: set[str]
) -> etree._Element | None:
    """The story that an element belongs to, None when it is not read at all. Each ancestor is looked at once."""
    passed: list[etree._Element] = []
    found: etree._Element | None = None
    for ancestor in element.iterancestors():
        if ancestor in known:
            found = known[ancestor]
            break
        passed.append(ancestor)
        if ancestor.tag in dropped or ancestor.tag == MC + "Fallback":
            break
        if ancestor.tag in _STORIES:
            found = ancestor
            break
    for ancestor in passed:
        known[ancestor] = found
    return found
