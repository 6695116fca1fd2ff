"""External pictures of one document: the cache first, then the network, within the document's budgets."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable, Iterator

from lrdoc.errors import LimitExceeded, TransportError
from lrdoc.parsers.base import ParseContext
from lrdoc.parsers.markdown import download, svg
from lrdoc.parsers.markdown.images import EXTENSIONS, sniff
from lrdoc.parsers.markdown.rawcache import RawCache
from lrdoc.parsers.markdown.refused import PictureError
from lrdoc.parsers.markdown.settings import MarkdownSettings


class RemotePictures:
    """Gets pictures by their address."""

    def __init__(
        self,
        settings: MarkdownSettings,
        cache: RawCache,
        cancelled: Callable[[], bool],
        resolver: download.Resolve = download.resolve,
    ) -> None:
        self._settings = settings
        self._cache = cache
        self._cancelled = cancelled
        self._resolver = resolver
        self.requests = 0
        self.hits = 0
        """Pictures that came from the cache."""
        self._bytes = 0
        self._deadline: float | None = None
        """When the time of all downloads is over; set by the first."""

    def get(self, url: str) -> bytes:
        """The picture, SVG drawn already."""
        kept = self._cache.get(url)
        if kept is not None:
            self.hits += 1
            return kept
        try:
            data = self._download(url)
            form = sniff(data)
            if form == "svg":
                data, form = svg.draw(data, self._settings.max_svg_pixels), "png"
            if not form:
                raise PictureError(
                    "picture_unknown_format",
                    f"{url[:200]} is not a picture, whatever the server calls it. It stays a link; "
                    "NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED=true makes this an error.",
                )
        except PictureError as e:
            if self._settings.download_required:
                hint = "Set NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED=false to go on without it."
                if e.code in ("picture_over_limit", "pictures_over_budget"):
                    raise LimitExceeded(e.message, limit="NATIVE_MD_IMAGE_DOWNLOAD_REQUIRED", hint=hint) from None
                raise TransportError(e.message, hint=hint) from None
            raise
        self._bytes += len(data)
        self._cache.put(url, data, EXTENSIONS.get(form, form))
        return data

    def _download(self, url: str) -> bytes:
        settings = self._settings
        now = time.monotonic()
        if self._deadline is None:
            self._deadline = now + settings.download_total_timeout
        if now >= self._deadline:
            raise self._over(
                url, "the downloads of this document took too long", "NATIVE_MD_IMAGE_DOWNLOAD_TOTAL_TIMEOUT"
            )
        left = settings.max_total_bytes - self._bytes
        if left <= 0:
            raise self._over(
                url, "the pictures of this document are too large together", "NATIVE_MD_IMAGE_MAX_TOTAL_BYTES"
            )
        if settings.max_bytes <= 0:
            raise self._over(url, "pictures are left out", "NATIVE_MD_IMAGE_MAX_BYTES")
        single = now + settings.download_timeout
        limits = download.Limits(
            max_bytes=min(settings.max_bytes, left),
            bytes_limit="NATIVE_MD_IMAGE_MAX_BYTES"
            if settings.max_bytes <= left
            else "NATIVE_MD_IMAGE_MAX_TOTAL_BYTES",
            deadline=min(single, self._deadline),
            deadline_limit=(
                "NATIVE_MD_IMAGE_DOWNLOAD_TIMEOUT"
                if single <= self._deadline
                else "NATIVE_MD_IMAGE_DOWNLOAD_TOTAL_TIMEOUT"
            ),
            allowed=settings.allowed_networks,
            cancelled=self._cancelled,
            charge=lambda: self._charge(url),
        )
        return download.fetch(url, limits, self._resolver)

    def _charge(self, url: str) -> None:
        if self.requests >= self._settings.max_requests:
            raise self._over(url, "this document made too many requests", "NATIVE_MD_IMAGE_MAX_REQUESTS")
        self.requests += 1

    def _over(self, url: str, reason: str, limit: str) -> PictureError:
        return PictureError(
            "pictures_over_budget",
            f"{url[:200]} was not downloaded: {reason}. The picture stays a link; the limit is {limit}.",
        )


def signature(settings: MarkdownSettings) -> str:
    """Hash of the options under which cached pictures were made."""
    options = {
        "signature_version": 2,
        "max_bytes": settings.max_bytes,
        "max_svg_pixels": settings.max_svg_pixels,
        "allowed_networks": sorted(str(network) for network in settings.allowed_networks),
    }
    text = json.dumps(options, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


@contextlib.contextmanager
def open_remote(settings: MarkdownSettings, context: ParseContext, source: bytes) -> Iterator[RemotePictures | None]:
    """Remote pictures for one parse; None when they are switched off. The cache is settled at the end."""
    if not settings.download_enabled:
        yield None
        return
    cache = RawCache(
        context.cache_dir,
        source,
        signature(settings),
        ignore=context.force_reparse or settings.force_reparse,
    )
    complete = False
    remote = RemotePictures(settings, cache, context.cancelled)
    try:
        yield remote
        complete = True
        context.cached = remote.hits > 0 and not remote.requests
    finally:
        cache.finish(complete=complete)
