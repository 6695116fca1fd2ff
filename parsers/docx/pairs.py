"""Begin and end of complex fields, found out before a story is read."""

from __future__ import annotations

from lxml import etree

from lrdoc.parsers.docx.names import MC, W

_FLD_CHAR = W + "fldChar"
_FLD_CHAR_TYPE = W + "fldCharType"
_STORIES = frozenset({W + "txbxContent", W + "footnote", W + "endnote", W + "comment"})


def find_unpaired(root: etree._Element, shows_insertions: bool, shows_deletions: bool) -> frozenset[etree._Element]:
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
    for element in root.iter(_FLD_CHAR):
        story = root
        skipped = False
        for ancestor in element.iterancestors():
            if ancestor is root:
                break
            if ancestor.tag in dropped or ancestor.tag == MC + "Fallback":
                skipped = True
                break
            if ancestor.tag in _STORIES:
                story = ancestor
                break
        if skipped:
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
