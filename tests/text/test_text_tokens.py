"""Tokenizers: exact counts, places of tokens, no network."""

from __future__ import annotations

import copy
import socket
import threading
from typing import Any

import numpy as np
import pytest
from growth import costs_in_proportion
from hypothesis import given, settings
from hypothesis import strategies as st

from lrdoc.chunkers.counting import RangeCounter
from lrdoc.errors import ConfigurationError
from lrdoc.testing.chunkers import CharTokenizer
from lrdoc.text.tokens import (
    EstimateTokenizer,
    TiktokenTokenizer,
    WrappedTokenizer,
    as_tokenizer,
    cut_stretches,
    load_tokenizer,
)

TEXTS = st.one_of(
    st.text(max_size=200),
    st.text(st.sampled_from("ab C,.;'\n\r\t 。，数据é́\u200d😀1234/()s're"), max_size=600),
)


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "estimate"])
@settings(max_examples=60, deadline=None)
@given(text=TEXTS)
def test_boundaries_ascend_and_cover_the_text(name: str, text: str) -> None:
    tokenizer = load_tokenizer(name)
    bounds = tokenizer.boundaries(text)
    assert len(bounds) == tokenizer.count(text) + 1 == len(tokenizer.encode(text)) + 1
    assert bounds[0] == 0
    assert bounds[-1] == len(text)
    assert (np.diff(bounds) >= 0).all()
    assert tokenizer.decode(list(tokenizer.encode(text))) == text


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
@settings(max_examples=120, deadline=None)
@given(text=TEXTS, data=st.data())
def test_ranges_are_counted_exactly(name: str, text: str, data: st.DataObject) -> None:
    tokenizer = load_tokenizer(name)
    counter = RangeCounter(text, tokenizer)
    for _ in range(5):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        assert counter.count(start, end) == tokenizer.count(text[start:end])


def test_counting_is_that_of_tiktoken() -> None:
    tiktoken = pytest.importorskip("tiktoken")
    encoding = TiktokenTokenizer("gpt-4o-mini")._encoding
    assert isinstance(encoding, tiktoken.Encoding)
    text = "Tables 表格 are cut between rows — 0.95 of them.\n\n" * 3000
    assert load_tokenizer("o200k_base").count(text) == len(encoding.encode(text))


def test_no_connection_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    for name in ("gpt-4o-mini", "gpt-4", "o200k_base", "cl100k_base", "estimate"):
        assert load_tokenizer(name).count("some text") > 0


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match="o200k_base"):
        load_tokenizer("no-such-model")


def test_what_looks_like_a_special_token_is_text() -> None:
    assert load_tokenizer("o200k_base").count("<|endoftext|>") > 1


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff" * 3, "x\ud83d y"])
def test_half_surrogates_do_not_stop_counting(text: str) -> None:
    tokenizer = load_tokenizer("o200k_base")
    assert len(tokenizer.boundaries(text)) == tokenizer.count(text) + 1
    assert tokenizer.boundaries(text)[-1] == len(text)


def test_estimate_counts_characters() -> None:
    tokenizer = EstimateTokenizer()
    assert tokenizer.count("表格按行") == 4
    assert tokenizer.count("abcdefgh") == 2
    assert tokenizer.count("abcde表fg") == 4
    assert tokenizer.name == "estimate"


class Locked(CharTokenizer):
    """Holds a lock, as a tokenizer that makes itself thread-safe does."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class Picky(CharTokenizer):
    """Refuses special tokens unless told otherwise, as tiktoken does."""

    def encode(self, text: str, disallowed_special: Any = "all") -> list[int]:
        if disallowed_special == "all" and "<|" in text:
            raise ValueError("text contains a disallowed special token")
        return [ord(char) for char in text]


class LowerWords:
    """Changes the text: its tokens cannot be found in it."""

    def encode(self, text: str) -> list[int]:
        return [hash(word) for word in text.lower().split()]

    def decode(self, tokens: list[int]) -> str:
        return " ".join("?" for _ in tokens)


def test_any_encode_decode_object_becomes_a_tokenizer() -> None:
    wrapped = as_tokenizer(CharTokenizer())
    assert wrapped.boundaries("abc").tolist() == [0, 1, 2, 3]
    assert as_tokenizer(wrapped) is wrapped
    assert as_tokenizer(Picky()).count("a<|b") == 4
    assert copy.deepcopy(as_tokenizer(Locked())).count("abc") == 3
    assert copy.deepcopy(load_tokenizer("o200k_base")).count("abc") == 1


def test_a_tokenizer_that_changes_the_text_gets_estimated_places() -> None:
    bounds = WrappedTokenizer(LowerWords()).boundaries("Hello World  foo")
    assert (bounds[0], bounds[-1]) == (0, 16)
    assert (np.diff(bounds) >= 0).all()


def test_an_object_without_the_methods_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no method encode"):
        as_tokenizer(object())  # type: ignore[arg-type]


def test_counting_is_safe_in_several_threads() -> None:
    tokenizer = TiktokenTokenizer("o200k_base")
    texts = [f"Text {i} with 表格 and 😀 number {i}. " * 50 for i in range(8)]
    expected = [len(tokenizer.boundaries(text)) for text in texts]
    fresh = TiktokenTokenizer("o200k_base")
    found: dict[int, int] = {}

    def work(i: int) -> None:
        found[i] = len(fresh.boundaries(texts[i]))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[i] for i in range(8)] == expected


@pytest.mark.parametrize("char", ["a", " ", "\n", "据", "^"])
def test_a_long_run_of_one_character_is_counted_quickly(char: str) -> None:
    tokenizer = load_tokenizer("o200k_base")
    assert tokenizer.count(char * 300_000) > 0
    costs_in_proportion(tokenizer.count, lambda count: char * count, 30_000, 300_000)


def test_long_texts_are_encoded_in_stretches_that_change_no_token() -> None:
    text = "Words and lines,\nand 数字。更多 words. " * 20_000
    stretches = cut_stretches(text)
    assert len(stretches) > 5
    assert "".join(text[a:b] for a, b in stretches) == text
    encoding = TiktokenTokenizer("o200k_base")._encoding
    assert load_tokenizer("o200k_base").encode(text) == encoding.encode_ordinary(text)
