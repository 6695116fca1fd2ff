"""The analysis stage: every item of the chosen kinds is explained by a model, and the answers are written beside it.

One failing item fails the document, as the public specification has it, but what was answered before stays: every
answer is kept in the cache at once, and the item files are written with what is there.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from lrdoc.analyzers.answers import read_fields
from lrdoc.analyzers.base import DRAWINGS, EQUATIONS, TABLES, AnalysisError, Item, ItemFailure, ItemSkipped, Outcome
from lrdoc.analyzers.daemon import in_daemon
from lrdoc.analyzers.folder import AnalysisFolder, ItemFile, open_folder
from lrdoc.analyzers.pictures import Picture, find_picture, load_picture
from lrdoc.analyzers.prompts.build import RESERVE_TOKENS, Prompt, build_prompt
from lrdoc.analyzers.settings import AnalysisSettings
from lrdoc.analyzers.surroundings import SEPARATORS, BlockText, Surrounding
from lrdoc.errors import Cancelled, LrdocError
from lrdoc.llm.base import ChatModel, Image, ModelNotConfigured, Reply, Usage
from lrdoc.sidecar.claim import Claim, claim_folder
from lrdoc.sidecar.commit import recover
from lrdoc.text.tokens import Tokenizer

_LOOK_S = 0.1
"""How often the stage looks whether it is to stop."""
_SAVE_S = 5.0
"""Finished results reach the item files at least this often."""
IN_FLIGHT = 16
"""Items worked on at a time; how many of them ask at once is up to the role's own limit."""
_LOADING = 2
"""Pictures read and scaled at a time: each may need some hundred megabytes."""
_log = logging.getLogger("lrdoc.analyzers")


class Progress(Protocol):
    def __call__(self, done: int, total: int, item_id: str) -> None: ...


def _never() -> bool:
    return False


def _default_in_flight(role: str) -> int:
    return IN_FLIGHT


def _silent(done: int, total: int, item_id: str) -> None:
    return None


@dataclass(slots=True)
class AnalysisContext:
    """What the stage uses of the world."""

    models: Callable[[str], ChatModel]
    """Model of a role; raises ModelNotConfigured."""
    settings: AnalysisSettings
    tokenizer: Tokenizer
    separators: Sequence[str] = SEPARATORS
    cancelled: Callable[[], bool] = _never
    progress: Progress = _silent
    now: Callable[[], float] = time.time
    """Seconds since 1970, for analyze_time."""
    in_flight: Callable[[str], int] = _default_in_flight
    """Items of a role worked on at a time: somewhat more than the role's own limit keeps its model busy."""


@dataclass(frozen=True, slots=True)
class AnalysisReport:
    """What the stage did."""

    document: str
    counts: Mapping[str, Mapping[str, int]]
    """Kind → status → number of items."""
    missing: tuple[str, ...]
    """Kinds that were asked for and have no items."""
    calls: int
    usage: Usage
    notes: tuple[str, ...]
    """Things worth knowing: budgets that are too small, answers that were cut off."""


@dataclass(frozen=True, slots=True)
class DryRun:
    """One prompt that would be sent."""

    item_id: str
    kind: str
    tokens: int
    trimmed: bool
    images: int
    system: str
    text: str


@dataclass(slots=True)
class _Job:
    file: ItemFile
    item: Item
    surrounding: Surrounding
    twins: list[Item] = field(default_factory=list)
    """Items with the same picture: asked once, with the first one's surroundings."""
    picture: Picture | None = None


def analyze_folder(path: Path, options: str | None, context: AnalysisContext) -> AnalysisReport:
    """Analyse a parsed folder and write the results into its item files.

    `options`: letters of i, t, e; None: what the parse was asked for. Raises AnalysisError when an item failed (its
    result tells why), Cancelled, SidecarError, ModelNotConfigured.
    """
    if path.is_dir():
        recover(path)
        with claim_folder(path) as claim:
            stage = _Stage(open_folder(path, options), context, claim)
            asyncio.run(stage.run())
    else:
        stage = _Stage(open_folder(path, options), context)
    return stage.report()


def preview_folder(path: Path, options: str | None, context: AnalysisContext) -> list[DryRun]:
    """The prompts that `analyze_folder` would send, without asking any model."""
    folder = open_folder(path, options)
    stage = _Stage(folder, context)
    previews = []
    for job in stage.jobs(record=False):
        try:
            prompt = stage.prompt(job)
        except (ItemSkipped, ItemFailure):
            continue
        request = prompt.request
        previews.append(
            DryRun(
                job.item.id,
                job.item.kind.name,
                prompt.count_tokens(),
                prompt.trimmed,
                len(request.images),
                request.system,
                request.text,
            )
        )
    return previews


class _Pictures:
    """Finds pictures with the same bytes; a file is only read when another one has its size."""

    def __init__(self) -> None:
        self._by_size: dict[int, tuple[Path, _Job] | None] = {}
        """The only picture of a size, None when there are several."""
        self._by_digest: dict[bytes, _Job] = {}
        self._digests: dict[Path, bytes] = {}

    def first_with_same_bytes(self, picture: Picture, job: _Job) -> _Job:
        """The job of the first picture with these bytes, the given one when it is the first."""
        size = picture.size
        if size not in self._by_size:
            self._by_size[size] = (picture.path, job)
            return job
        only = self._by_size[size]
        if only is not None:
            self._by_digest[self._digest(only[0])] = only[1]
            self._by_size[size] = None
        return self._by_digest.setdefault(self._digest(picture.path), job)

    def _digest(self, path: Path) -> bytes:
        digest = self._digests.get(path)
        if digest is None:
            try:
                with path.open("rb") as stream:
                    digest = hashlib.file_digest(stream, "sha256").digest()
            except OSError:
                digest = str(path).encode()  # unreadable: the gate after the model's says so
            self._digests[path] = digest
        return digest


_CANCELLED = Outcome("failure", "cancelled")


class _Stage:
    def __init__(self, folder: AnalysisFolder, context: AnalysisContext, claim: Claim | None = None) -> None:
        self.folder = folder
        self.claim = claim
        self.context = context
        self.settings = context.settings
        self.notes: list[str] = []
        self.counts: dict[str, dict[str, int]] = {}
        self.calls = 0
        self.usage = Usage()
        self.total = sum(len(file.items()) for file in folder.files)
        self.done = 0
        self._texts: dict[str, BlockText] = {}
        self._models: dict[str, ChatModel] = {}
        self._unsaved: set[int] = set()
        self._saved_at = time.monotonic()
        self._loading = asyncio.Semaphore(_LOADING)
        self._check_budgets()

    def _check_budgets(self) -> None:
        settings = self.settings
        room = settings.max_input_tokens - max(settings.leading_tokens, 0) - max(settings.trailing_tokens, 0)
        if settings.max_input_tokens > 0 and room - RESERVE_TOKENS < settings.min_content_tokens:
            self.notes.append(
                f"MAX_EXTRACT_INPUT_TOKENS ({settings.max_input_tokens}) less SURROUNDING_LEADING_MAX_TOKENS "
                f"({settings.leading_tokens}) and SURROUNDING_TRAILING_MAX_TOKENS ({settings.trailing_tokens}) leaves "
                f"fewer than MM_EXTRACT_CONTENT_MIN_TOKENS ({settings.min_content_tokens}) for an item: raise the "
                "first or lower the others."
            )

    def report(self) -> AnalysisReport:
        missing = tuple(kind.root for kind in self.folder.missing)
        return AnalysisReport(
            self.folder.document_name, self.counts, missing, self.calls, self.usage, tuple(self.notes)
        )

    async def run(self) -> None:
        """All kinds, one after another; every kind's file is written whatever happens."""
        if self.folder.missing:
            kinds = ", ".join(kind.root for kind in self.folder.missing)
            _log.info("%s: nothing to analyse of %s", self.folder.document_name, kinds)
        try:
            for file in self.folder.files:
                await self._run_jobs(deque(self.jobs([file])))
        finally:
            for model in self._models.values():
                await model.close()

    def jobs(self, files: Sequence[ItemFile] | None = None, *, record: bool = True) -> list[_Job]:
        """Items to ask about. Those that the gates before the model turn away get their result here."""
        jobs: list[_Job] = []
        pictures = _Pictures()
        for file in self.folder.files if files is None else files:
            for item in file.items():
                if record and self.context.cancelled():
                    raise Cancelled("The analysis was cancelled; finished answers are kept")
                job = _Job(file, item, self._surrounding(item))
                if item.kind is DRAWINGS:
                    try:
                        job.picture = find_picture(item, self.folder.path, self.settings)
                    except ItemSkipped as skip:
                        if record:
                            self._record(job, Outcome("skipped", str(skip)))
                        continue
                    if job.picture.size <= self.settings.max_image_bytes:
                        first = pictures.first_with_same_bytes(job.picture, job)
                        if first is not job:
                            first.twins.append(item)
                            continue
                jobs.append(job)
        if record:
            self._save(force=False)
        return jobs

    def _surrounding(self, item: Item) -> Surrounding:
        block_id = str(item.data.get("blockid"))
        content = self.folder.blocks.get(block_id)
        if content is None:
            return Surrounding()
        text = self._texts.get(block_id)
        if text is None:
            text = self._texts[block_id] = BlockText(content, self.context.tokenizer, self.context.separators)
        found = text.around(item.kind.name, item.id, self.settings.leading_tokens, self.settings.trailing_tokens)
        return found or Surrounding()

    def prompt(self, job: _Job) -> Prompt:
        """The request for a job, with its gates. Raises ItemSkipped or ItemFailure."""
        item = job.item
        images: tuple[Image, ...] = ()
        if item.kind is DRAWINGS:
            if job.picture is None:
                raise ItemSkipped("no picture")
            images = (load_picture(item, job.picture, self.settings),)
        elif item.kind is TABLES:
            if not item.content.strip():
                raise ItemSkipped("missing table content")
            form = item.data.get("format")
            if form not in ("html", "json"):
                raise item.failure(f"missing or invalid table format {form!r} ({self.folder.document_name})")
        elif item.kind is EQUATIONS and not item.content.strip():
            raise item.failure("missing equation content")
        return build_prompt(item, job.surrounding, self.settings, self.context.tokenizer, images)

    def _model(self, item: Item) -> ChatModel:
        role = item.kind.role
        model = self._models.get(role)
        if model is None:
            if item.kind is DRAWINGS and not self.settings.vlm_enabled:
                raise item.failure(
                    "VLM analysis required but VLM role is not available (VLM_PROCESS_ENABLE is off: set it to true "
                    "with VLM_LLM_MODEL, or leave the option i out)"
                )
            try:
                model = self._models[role] = self.context.models(role)
            except ModelNotConfigured as error:
                if item.kind is DRAWINGS:
                    raise item.failure(f"VLM analysis required but VLM role is not available ({error})") from error
                raise item.failure(f"EXTRACT role is not available ({error})") from error
        return model

    async def _run_jobs(self, waiting: deque[_Job]) -> None:
        running: dict[asyncio.Task[Outcome], _Job] = {}
        failure: ItemFailure | None = None
        stopped = False
        try:
            while waiting or running:
                while waiting and len(running) < self.context.in_flight(waiting[0].item.kind.role):
                    job = waiting.popleft()
                    running[asyncio.create_task(self._answer(job))] = job
                finished, _ = await asyncio.wait(running, timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED)
                for task in finished:
                    job = running.pop(task)
                    error = task.exception()
                    if error is None:
                        self._record(job, task.result())
                        continue
                    if not isinstance(error, ItemFailure):
                        raise error
                    self._record(job, Outcome("failure", str(error)))
                    failure = failure or error
                if failure is None and self.context.cancelled():
                    stopped = True
                if failure is not None or stopped:
                    break
                self._save(force=False)
        finally:
            # What was answered in the meantime counts; the rest is told to be cancelled.
            left = {**running}
            for task in left:
                task.cancel()
            for task, job in left.items():
                outcome = (await asyncio.gather(task, return_exceptions=True))[0]
                self._record(job, outcome if isinstance(outcome, Outcome) else _CANCELLED)
            for job in waiting:
                self._record(job, _CANCELLED)
            self._save(force=True)
        if failure is not None:
            raise AnalysisError(
                str(failure), hint="Results of other items are kept; mend the cause and analyse again."
            ) from failure
        if stopped:
            raise Cancelled("The analysis was cancelled; finished answers are kept")

    async def _answer(self, job: _Job) -> Outcome:
        """Ask about one item; one more try when the answer is not what was asked for."""
        item = job.item
        try:
            if item.kind is DRAWINGS:
                model = self._model(item)  # the gate stands before what a picture costs to read
                async with self._loading:
                    prompt = await in_daemon(lambda: self.prompt(job))
            else:
                prompt = self.prompt(job)
                model = self._model(item)
        except ItemSkipped as skip:
            return Outcome("skipped", str(skip))
        problem: ItemFailure | None = None
        for attempt in range(2):
            reply = await self._ask(model, item, prompt, fresh=attempt > 0)
            try:
                fields = read_fields(item, reply.text)
            except ItemFailure as error:
                problem = error
                continue
            if reply.finish_reason == "length":
                self.notes.append(f"{item.kind.label}/{item.id}: the answer was cut off and is kept as far as it goes")
            cache_id = f"default:analysis:{reply.cache_key[:32]}" if reply.cache_key else ""
            return Outcome("success", fields=fields, cache_id=cache_id)
        raise problem or item.failure("no answer")

    async def _ask(self, model: ChatModel, item: Item, prompt: Prompt, *, fresh: bool) -> Reply:
        try:
            reply = await model.complete(prompt.request, fresh=fresh)
        except LrdocError as error:
            raise item.failure(f"{item.kind.role.upper()} call failed: {error}") from error
        if not reply.cached:
            self.calls += 1
            self.usage += reply.usage
        return reply

    def _record(self, job: _Job, outcome: Outcome) -> None:
        now = int(self.context.now())
        for item in (job.item, *job.twins):
            statuses = self.counts.setdefault(item.kind.root, {})
            statuses[outcome.status] = statuses.get(outcome.status, 0) + 1
            self.done += 1
            self.context.progress(self.done, self.total, item.id)
            if outcome is _CANCELLED and item.is_explained:
                continue  # an earlier answer is worth more than the word that none came now
            surrounding = job.surrounding if item is job.item else self._surrounding(item)
            job.file.update(
                item.id,
                {
                    "surrounding": surrounding.to_dict(),
                    "llm_analyze_result": outcome.result(now),
                    "llm_cache_list": [outcome.cache_id] if outcome.cache_id else None,
                },
            )
        self._unsaved.add(id(job.file))

    def _save(self, *, force: bool) -> None:
        """Write the files that changed, now and then and at the end."""
        if not force and time.monotonic() - self._saved_at < _SAVE_S:
            return
        for file in self.folder.files:
            if id(file) in self._unsaved:
                if self.claim is not None:
                    self.claim.check()
                file.save()
        self._unsaved.clear()
        self._saved_at = time.monotonic()
