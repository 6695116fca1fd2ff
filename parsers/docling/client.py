"""The interface v1 of docling-serve."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lrdoc.errors import LrdocError
from lrdoc.parsers.base import Availability, ParseContext, SourceFile
from lrdoc.parsers.docling.options import FIXED, Options
from lrdoc.parsers.docling.parser import find_document
from lrdoc.parsers.docling.settings import DoclingSettings
from lrdoc.parsers.services.builder import as_text
from lrdoc.parsers.services.bundle import Fetched
from lrdoc.parsers.services.transport import LARGEST_JSON, NoAssets, Service, first_text, one_line
from lrdoc.parsers.services.unpack import hoist, unpack

_MOST_WAIT_S = 30.0


def fetch_bundle(source: SourceFile, options: Options, context: ParseContext, folder: Path) -> Fetched:
    """Let the service convert the file and unpack its answer into the folder."""
    settings = options.settings
    with open_service(options, context) as service, tempfile.TemporaryDirectory(prefix="lrdoc-") as scratch:
        version = find_version(service)
        answer = service.upload("/v1/convert/file/async", options.fields(), source.path, source.name, what="upload")
        task = service.read_task(answer)
        name = quote(task, safe="")
        wait = min(settings.poll_interval, settings.request_timeout / 2, _MOST_WAIT_S)
        errors: list[str] = []

        def look() -> bool | None:
            told = service.ask(f"/v1/status/poll/{name}", what="task", params={"wait": f"{wait:g}"})
            status = (as_text(told.get("task_status")) or as_text(told.get("status"))).lower()
            if status in ("failure", "skipped", "revoked"):
                raise service.fail(f"the task ended with {status}: {_reason(told) or 'it does not say why'}", _REMEDY)
            if status == "partial_success":
                errors.append(_reason(told) or "it says partial success and not why")
            return True if status in ("success", "partial_success") else None

        service.poll(look, settings.poll_interval, settings.max_polls, what="the task")
        body = Path(scratch) / "answer"
        headers, _ = service.download(f"/v1/result/{name}", body, what="result")
        if _is_zip(body):
            unpack(body, folder, "docling", settings, context.check)
            hoist(folder)
        else:
            errors += _unpack_json(service, body, headers, folder, source.stem)
    critical = find_document(folder, source.stem).name
    extras: dict[str, Any] = {"fixed_constants": FIXED}
    if errors:
        extras["errors"] = list(dict.fromkeys(errors))
    return Fetched(critical, version, task, extras)


def open_service(options: Options, context: ParseContext) -> Service:
    key = options.settings.api_key
    headers = {"X-Api-Key": key} if key else {}
    return Service("docling", options.endpoint, "DOCLING_ENDPOINT", options.settings, context, headers)


def find_version(service: Service) -> str:
    """Version of the service; older ones do not tell."""
    answer = service.get("/version", what="version", accept=range(200, 500))
    told = answer.json()
    return as_text(told.get("docling-serve")) if answer.status == 200 and isinstance(told, dict) else ""


def probe(settings: DoclingSettings, timeout_s: float) -> Availability:
    """Whether the service answers."""
    settings = replace(settings, request_timeout=timeout_s, retries=0)
    try:
        with open_service(Options.make(settings, {}), ParseContext(NoAssets())) as service:
            answer = service.get("/health", what="health", accept=range(200, 500))
            if answer.status != 200 or not isinstance(answer.json(), dict):
                raise service.fail("what answers there is no docling-serve", "See DOCLING_ENDPOINT.")
            return Availability(True, f"docling-serve {find_version(service)}".strip())
    except LrdocError as e:
        return Availability(False, e.message, e.hint)


_REMEDY = "See the service's log; with DOCLING_SERVE_DEBUG_ERROR_DETAILS it says more. Models may be missing there."


def _reason(told: Mapping[str, Any]) -> str:
    return one_line(first_text(told, ("error_message", "failure", "error", "message", "detail")))


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def _unpack_json(service: Service, body: Path, headers: Mapping[str, str], folder: Path, stem: str) -> list[str]:
    """An answer without archive: the document itself, or an envelope around it. What the service could not read."""
    kind = one_line(headers.get("content-type", "").partition(";")[0], 60) or "of an unknown type"
    value: Any = None
    if body.stat().st_size <= LARGEST_JSON:
        try:
            value = json.loads(body.read_bytes())
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, dict):
        raise service.fail(f"result: the answer is {kind}, neither a zip archive nor a document")
    status = as_text(value.get("status")).lower()
    found = [one_line(text) for one in _errors(value.get("errors")) if (text := first_text(one, ("error_message",)))]
    if status in ("failure", "skipped"):
        raise service.fail(f"the task ended with {status}: {'; '.join(found) or 'it does not say why'}", _REMEDY)
    envelope = value.get("document")
    document = envelope.get("json_content") if isinstance(envelope, dict) else value
    if not isinstance(document, dict) or "body" not in document:
        raise service.fail("result: the answer holds no document")
    (folder / f"{stem}.json").write_text(json.dumps(document), "utf-8")
    markdown = envelope.get("md_content") if isinstance(envelope, dict) else None
    if isinstance(markdown, str):
        (folder / f"{stem}.md").write_bytes(markdown.encode("utf-8", "replace"))
    if status == "partial_success" and not found:
        found = ["it says partial success and not why"]
    return found


def _errors(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
