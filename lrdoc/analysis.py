"""Composition of the analysis: settings, models by role with their memory, and the stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lrdoc.analyzers.settings import AnalysisSettings
from lrdoc.analyzers.stage import (
    IN_FLIGHT,
    AnalysisContext,
    AnalysisReport,
    DryRun,
    Progress,
    analyze_folder,
    preview_folder,
)
from lrdoc.analyzers.surroundings import SEPARATORS
from lrdoc.errors import UsageError
from lrdoc.llm.cache import AnswerCache
from lrdoc.llm.model_settings import ModelSettings
from lrdoc.llm.roles import open_model, role_model
from lrdoc.routing.chunk_options import ChunkSettings
from lrdoc.settings import Settings
from lrdoc.text.tokenizer_settings import TokenizerSettings
from lrdoc.text.tokens import load_tokenizer

CACHE_NAME = "llm_cache.sqlite"


def check_options(options: str | None) -> str | None:
    """Letters of i, t and e. Raises UsageError for anything else."""
    if options is not None and (not options or set(options) - set("ite")):
        raise UsageError(f"--options {options!r}: give letters of i (images), t (tables) and e (equations)")
    return options


def analyze(
    folder: Path,
    options: str | None,
    settings: Settings,
    *,
    cancelled: Callable[[], bool],
    progress: Progress,
) -> AnalysisReport:
    """Analyse a parsed folder with the configured models. Raises what `analyze_folder` raises."""
    with _context(folder, settings, cancelled, progress) as (context, cache):
        report = analyze_folder(folder, check_options(options), context)
        return replace(report, notes=(*report.notes, cache.problem)) if cache.problem else report


def preview(folder: Path, options: str | None, settings: Settings) -> list[DryRun]:
    """What `analyze` would ask, without asking."""
    with _context(folder, settings, lambda: False, lambda done, total, item_id: None) as (context, _):
        return preview_folder(folder, check_options(options), context)


@contextmanager
def _context(
    folder: Path, settings: Settings, cancelled: Callable[[], bool], progress: Progress
) -> Iterator[tuple[AnalysisContext, AnswerCache]]:
    chosen = settings.of(AnalysisSettings)
    models = settings.of(ModelSettings)
    # A binding or address that cannot be is a mistake before any item is touched.
    found = {role: role_model(models, role) for role in ("extract", "vlm")}

    def in_flight(role: str) -> int:
        model = found.get(role)
        # A picture in flight is held in memory: no more of them than keep the model busy.
        return IN_FLIGHT if model is None or (role != "vlm" and model.max_async < IN_FLIGHT) else model.max_async + 2

    cache = AnswerCache(Path(chosen.cache_file) if chosen.cache_file else folder.resolve().parent / CACHE_NAME)
    try:
        context = AnalysisContext(
            models=lambda role: open_model(models, role, cache),
            settings=chosen,
            tokenizer=load_tokenizer(settings.of(TokenizerSettings).model),
            separators=[s for s in settings.of(ChunkSettings).r_separators if s] or SEPARATORS,
            cancelled=cancelled,
            progress=progress,
            in_flight=in_flight,
        )
        yield context, cache
    finally:
        cache.close()
