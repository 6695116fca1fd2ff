"""Variables of the tokenizer; cheap to import."""

from __future__ import annotations

from dataclasses import dataclass

from lrdoc.variables import variable


@dataclass(frozen=True, slots=True)
class TokenizerSettings:
    """How tokens are counted."""

    model: str = variable(
        "TIKTOKEN_MODEL_NAME",
        "gpt-4o-mini",
        "Model or encoding whose tokens are counted; o200k_base and cl100k_base need no network, "
        "'estimate' needs no vocabulary.",
    )
