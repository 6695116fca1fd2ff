"""Help: every command is listed, explained and shown by example."""

from pathlib import Path

import click
import pytest
from cli_runner import run_here

from lrdoc import __version__
from lrdoc.cli import COMMANDS, group

ROOT = Path(__file__).resolve().parents[2]
LISTED = group.list_commands(click.Context(group))


def test_the_version_is_told() -> None:
    assert run_here("--version").out == f"lrdoc, version {__version__}\n"


def test_help_lists_the_commands() -> None:
    ran = run_here("--help")
    assert ran.code == 0
    for name in LISTED:
        assert COMMANDS[name] in " ".join(ran.out.split())
    assert "Examples:" in ran.out and "Exit codes:" in ran.out


def test_an_unknown_command_is_a_usage_error() -> None:
    ran = run_here("prase")
    assert ran.code == 2
    assert "No such command" in ran.err and "Traceback" not in ran.err


@pytest.mark.parametrize("name", LISTED)
def test_every_command_has_help_with_examples(name: str) -> None:
    ran = run_here(name, "--help")
    assert ran.code == 0
    assert "Examples:" in ran.out
    command = group.get_command(click.Context(group), name)
    assert command is not None and command.help
    leaves = command.commands.values() if isinstance(command, click.Group) else [command]
    for leaf in leaves:
        assert {"--env-file", "--debug"} <= {option for parameter in leaf.params for option in parameter.opts}


@pytest.mark.checkout
def test_every_command_is_in_the_reference_page() -> None:
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    for name in LISTED:
        assert f"## lrdoc {name}\n" in page


@pytest.mark.checkout
def test_every_command_file_is_in_the_table() -> None:
    files = (ROOT / "lrdoc" / "cli").glob("*.py")
    commands = {file.stem for file in files if "\ndef command(" in file.read_text("utf-8")}
    assert commands == set(COMMANDS)
