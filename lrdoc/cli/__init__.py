"""The command line: `python -m lrdoc.cli` or `lrdoc`.

Commands are loaded when they are called: `lrdoc --help` imports none of them.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from lrdoc import __version__
from lrdoc.errors import Cancelled, ConfigurationError, LrdocError, UsageError

COMMANDS: dict[str, str] = {
    "parse": "Parse files into LightRAG Documents.",
    "check": "Check a parsed folder, and that nothing of its source was lost.",
    "show": "Show outline, tables and items of a parsed folder.",
    "export": "Write a parsed folder as markdown, html, text or json.",
    "engines": "List the parsing engines and what they can do.",
    "route": "Tell which engine and options a file name gets, and why.",
    "rules": "Check routing rules.",
    "chunk": "Cut a parsed folder or a text into chunks.",
    "analyze": "Describe pictures, tables and equations with models.",
    "compare": "Compare two parsed folders.",
}
"""Name → one line of help. The command is `command` in lrdoc.cli.<name>."""

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_CONFIGURATION = 3
EXIT_INTERRUPTED = 130

EPILOG = """\b
Examples:
  lrdoc parse report.docx
  lrdoc check __parsed__/report.docx.parsed --source report.docx
  lrdoc COMMAND --help

Exit codes: 0 fine; 1 a document or name failed; 2 wrong usage; 3 wrong configuration; 130 interrupted.
"""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"lrdoc.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])


@click.group(cls=LazyGroup, name="lrdoc", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lrdoc")
def group() -> None:
    """lrdoc turns documents into structured, cited text: blocks, tables, pictures and equations, nothing lost."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit the process with its code."""
    # Nearly all that a run makes lives to its end: collecting as often as by default costs a tenth of a short run.
    gc.set_threshold(100_000, 10, 10)
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return the exit code. Errors become one clear message on stderr."""
    for stream in (sys.stdout, sys.stderr):
        # File names and documents may hold what the terminal's encoding cannot show.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        result = group.main(list(arguments), prog_name="lrdoc", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as e:
        e.show()
        return e.exit_code
    except click.exceptions.Exit as e:
        return e.exit_code
    except (click.Abort, KeyboardInterrupt, Cancelled):
        click.echo("interrupted", err=True)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has gone; nothing more can be said, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILED
    except LrdocError as e:
        if "--debug" in arguments:
            raise
        click.echo(f"lrdoc: {e}", err=True)
        return exit_code(e)
    except Exception as e:
        # The edge of the process: a mistake of ours is one line as well, unless somebody looks for it.
        if "--debug" in arguments:
            raise
        click.echo(f"lrdoc: unexpected {type(e).__name__}: {e} (a mistake in lrdoc; --debug shows where)", err=True)
        return EXIT_FAILED
    return result if isinstance(result, int) else 0


def exit_code(error: LrdocError) -> int:
    """The code for an error that ends the command."""
    if isinstance(error, UsageError):
        return EXIT_USAGE
    if isinstance(error, ConfigurationError):
        return EXIT_CONFIGURATION
    return EXIT_FAILED
