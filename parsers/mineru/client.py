"""The three interfaces of MinerU: the official service, a local one up to 3.x, a local one from 4.0 on."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lrdoc.errors import LrdocError, TransportError
from lrdoc.parsers.base import Availability, ParseContext, SourceFile
from lrdoc.parsers.mineru.bundle import CONTENT_LIST, find_content
from lrdoc.parsers.mineru.options import Options
from lrdoc.parsers.mineru.settings import MineruSettings
from lrdoc.parsers.services.builder import as_text
from lrdoc.parsers.services.bundle import Fetched
from lrdoc.parsers.services.transport import Answer, NoAssets, Service, first_text, one_line
from lrdoc.parsers.services.unpack import hoist, unpack

_MOST_LOOKS_FOR_RESULT = 10


def fetch_bundle(source: SourceFile, options: Options, context: ParseContext, folder: Path) -> Fetched:
    """Let the service parse the file and unpack its answer into the folder."""
    with open_service(options, context) as service, tempfile.TemporaryDirectory(prefix="lrdoc-") as scratch:
        archive = Path(scratch) / "answer.zip"
        if options.mode == "official":
            version, task, extras = "", _official(service, source, options, archive), {"api": "official"}
        else:
            api, version = find_api(service)
            fetch = _local_v4 if api == "4" else _local_v3
            task, extras = fetch(service, source, options, archive)
            extras = {"api": api, **extras}
        unpack(archive, folder, "mineru", options.settings, context.check)
    return Fetched(_settle(folder, source.stem), version, task, extras)


def open_service(options: Options, context: ParseContext) -> Service:
    settings = options.settings
    local = options.mode == "local"
    token = settings.local_api_key if local else settings.api_token
    return Service(
        "mineru",
        options.endpoint,
        "MINERU_LOCAL_ENDPOINT" if local else "MINERU_OFFICIAL_ENDPOINT",
        settings,
        context,
        {"Authorization": f"Bearer {token}"} if token else {},
    )


def find_api(service: Service) -> tuple[str, str]:
    """Which interface a local service has ("3" or "4"), and its version."""
    answer = service.get("/v1/health", what="health", accept=range(200, 500))
    told = answer.json()
    if answer.status == 200 and isinstance(told, dict) and "version" in told:
        return "4", as_text(told["version"])
    answer = service.get("/health", what="health", accept=range(200, 500))
    told = answer.json()
    if answer.status == 200 and isinstance(told, dict):
        return "3", as_text(told.get("version"))
    if answer.status in (401, 403):
        raise service.fail(f"health: HTTP {answer.status}", "Set MINERU_LOCAL_API_KEY.")
    if answer.status == 200:
        raise service.fail("what answers there is no MinerU", "See MINERU_LOCAL_ENDPOINT.")
    # The first versions with tasks had no health.
    return "3", ""


def _tells_its_paths(service: Service) -> bool:
    """Whether a service without a version is a MinerU: by its health, or by the paths in its own description."""
    if service.get("/health", what="health", accept=range(200, 500)).status == 200:
        return True
    told = service.get("/openapi.json", what="description", accept=range(200, 500)).json()
    paths = told.get("paths") if isinstance(told, dict) else None
    return isinstance(paths, dict) and any(path in paths for path in ("/tasks", "/file_parse"))


def probe(settings: MineruSettings, timeout_s: float) -> Availability:
    """Whether the service answers."""
    settings = replace(settings, request_timeout=timeout_s, retries=0)
    try:
        options = Options.make(settings, {})
        with open_service(options, ParseContext(NoAssets())) as service:
            if options.mode == "official":
                # It has no health of its own: any answer shows that it is there.
                service.get("/", what="health", accept=range(200, 500))
                return Availability(True)
            _, version = find_api(service)
            if not version and not _tells_its_paths(service):
                return Availability(False, "what answers there is no MinerU", "See MINERU_LOCAL_ENDPOINT.")
            return Availability(True, f"MinerU {version}".strip())
    except LrdocError as e:
        return Availability(False, e.message, e.hint)


def _local_v3(service: Service, source: SourceFile, options: Options, archive: Path) -> tuple[str, dict[str, Any]]:
    settings = options.settings
    first, last = options.page_ids
    flags = {
        "lang_list": options.language,
        "backend": settings.local_backend,
        "parse_method": options.parse_method,
        "formula_enable": _flag(settings.enable_formula),
        "table_enable": _flag(settings.enable_table),
        "image_analysis": _flag(settings.local_image_analysis),
        "return_md": "true",
        "return_middle_json": "true",
        "return_model_output": "true",
        "return_content_list": "true",
        "return_images": "true",
        "response_format_zip": "true",
        "return_original_file": "false",
        "start_page_id": str(first),
        "end_page_id": str(last),
    }
    answer = service.upload("/tasks", flags.items(), source.path, source.name, what="upload")
    task = service.read_task(answer)
    path = f"/tasks/{quote(task, safe='')}"

    def look() -> bool | None:
        told = service.ask(path, what="task")
        status = as_text(told.get("status")).lower()
        if status in ("failed", "cancelled", "canceled"):
            raise service.fail(f"the task {status}: {_reason(told)}", _REMEDY)
        return True if status == "completed" else None

    service.poll(look, settings.poll_interval, settings.max_polls, what="the task")
    _result(service, f"{path}/result", archive, settings.poll_interval)
    return task, {}


def _local_v4(service: Service, source: SourceFile, options: Options, archive: Path) -> tuple[str, dict[str, Any]]:
    settings = options.settings
    params: list[tuple[str, str]] = [("ocr_mode", options.parse_method)]
    if settings.local_tier:
        params.append(("tier", settings.local_tier))
    if options.page_range:
        params.append(("page_range", options.page_range))
    params += [("output_formats", name) for name in ("markdown", "middle_json", "structured_content", "zip")]
    answer = service.upload("/v1/tasks", (), source.path, source.name, what="upload", params=params)
    task = service.read_task(answer)
    path = f"/v1/tasks/{quote(task, safe='')}"
    errors: list[str] = []

    def look() -> bool | None:
        told = service.ask(path, what="task")
        status = as_text(told.get("status")).lower()
        if status in ("failed", "canceled", "cancelled"):
            raise service.fail(f"the task {status}: {_reason(told)}", _REMEDY)
        if status == "partial":
            errors.append(_reason(told))
        return True if status in ("completed", "partial") else None

    finished = False
    try:
        service.poll(look, settings.poll_interval, settings.max_polls, what="the task")
        finished = True
    finally:
        if not finished:
            # Cancelled, or out of patience: the service need not go on.
            service.delete(path)
    _result(service, f"{path}/result", archive, settings.poll_interval, {"response_format": "zip"})
    ignored = ["language"] if options.asked_language else []
    ignored += [] if settings.enable_table else ["MINERU_ENABLE_TABLE"]
    ignored += [] if settings.enable_formula else ["MINERU_ENABLE_FORMULA"]
    ignored += ["MINERU_LOCAL_IMAGE_ANALYSIS"] if settings.local_image_analysis else []
    return task, {key: value for key, value in (("ignored", ignored), ("errors", errors)) if value}


def _official(service: Service, source: SourceFile, options: Options, archive: Path) -> str:
    settings = options.settings
    file: dict[str, Any] = {"name": source.name}
    if settings.is_ocr:
        file["is_ocr"] = True
    if options.page_ranges:
        file["page_ranges"] = ",".join(options.page_ranges)
    request = {
        "files": [file],
        "model_version": settings.model_version,
        "language": options.language,
        "enable_table": settings.enable_table,
        "enable_formula": settings.enable_formula,
    }
    answer = service.post_json("/api/v4/file-urls/batch", request, what="request for an upload")
    data = _data(service, answer, "request for an upload")
    batch = as_text(data.get("batch_id"))
    urls = data.get("file_urls")
    url = urls[0] if isinstance(urls, list) and urls else ""
    if isinstance(url, dict):
        url = url.get("url") or url.get("file_url")
    if not batch or not isinstance(url, str) or not url:
        raise service.fail("request for an upload: the answer names no address to send the file to")
    service.put_file(url, source.path, what="upload")

    def look() -> str | None:
        data = _data(
            service, service.get(f"/api/v4/extract-results/batch/{quote(batch, safe='')}", what="task"), "task"
        )
        entry = _entry(data.get("extract_result"), source)
        state = as_text(entry.get("state")).lower()
        if state == "failed":
            raise service.fail(f"the task failed: {_reason(entry)}", _REMEDY)
        if state != "done":
            return None
        found = as_text(entry.get("full_zip_url"))
        if not found:
            raise service.fail("the task is done and names no result")
        return found

    found = service.poll(look, settings.poll_interval, settings.max_polls, what="the task")
    headers, _ = service.download(found, archive, what="result")
    _check_type(service, headers)
    return batch


_REMEDY = "See the service's log; MINERU_LOCAL_BACKEND, MINERU_LOCAL_TIER and its models decide what it can parse."


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _result(
    service: Service, path: str, archive: Path, interval: float, params: Mapping[str, str] | None = None
) -> None:
    """Download the archive. A service that says it is done may need another moment."""
    for _ in range(_MOST_LOOKS_FOR_RESULT):
        headers, there = service.download(path, archive, what="result", params=params, pending=(202,))
        if there:
            _check_type(service, headers)
            return
        service.pause(min(interval, 1.0))
    raise service.fail("result: the task is done, but its result never comes")


def _check_type(service: Service, headers: Mapping[str, str]) -> None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.startswith("text/") or kind == "application/json":
        raise service.fail(f"result: the answer is {one_line(kind, 60)}, not a zip archive")


def _data(service: Service, answer: Answer, what: str) -> dict[str, Any]:
    """`data` of an answer of the official service."""
    told = service.read_object(answer, what)
    if told.get("code") not in (None, 0, "0"):
        raise service.fail(f"{what}: {answer.told()} (code {one_line(as_text(told['code']), 20)})", "See the token.")
    data = told.get("data")
    if not isinstance(data, dict):
        raise service.fail(f"{what}: the answer holds no data")
    return data


def _entry(value: Any, source: SourceFile) -> dict[str, Any]:
    """The result of our file; the only one when the service changed its name."""
    entries = [entry for entry in (value if isinstance(value, list) else [value]) if isinstance(entry, dict)]
    named = [entry for entry in entries if entry.get("file_name") in (source.name, source.stem)]
    return (named or entries or [{}])[0]


def _reason(told: Mapping[str, Any]) -> str:
    """Why a task failed."""
    found = first_text(told, ("error", "err_msg", "message", "error_message"))
    if not found:
        files = told.get("files")
        found = first_text(files, ("error", "message"))
    return one_line(found) or "it does not say why"


def _settle(folder: Path, stem: str) -> str:
    """Bring the content to where it is looked for; the path of the file that holds it."""
    hoist(folder)
    path = find_content(folder, stem)
    if path is None:
        raise TransportError(
            "mineru: the service's answer holds neither content_list.json nor middle_json.json",
            hint="See the service's log; another version may name its files otherwise.",
        )
    if not path.name.endswith(CONTENT_LIST):
        return path.relative_to(folder).as_posix()
    home = path.parent
    if home != folder:
        for entry in sorted(home.iterdir()):
            if not (folder / entry.name).exists():
                shutil.move(str(entry), str(folder / entry.name))
        path = folder / path.name if (folder / path.name).exists() else path
    target = folder / CONTENT_LIST
    if path != target:
        path.rename(target)
    return CONTENT_LIST
