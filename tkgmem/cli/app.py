"""The command group: options that may stand before or after the verb, and errors as one line and an exit code.

Exit codes: 0 ok, 1 error, 2 usage or a bad value, 3 busy or unavailable, 4 configuration, file or model, 5 not found,
130 interrupted.
"""

from __future__ import annotations

import importlib
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from tkgmem.cli.harmless import harmless
from tkgmem.cli.session import Session
from tkgmem.cli.verbs import VERBS
from tkgmem.errors import FileBusy, LLMError, ModelFileMissing, NotFound, StoreError, TkgmemError, WriteConflict

_LOG = logging.getLogger(__name__)


def shared_options(*, hidden: bool) -> list[click.Parameter]:
    """The options of tkgmem itself; each is kept in the session, the one nearest to the end of the line wins."""

    def keep(context: click.Context, parameter: click.Parameter, value: object) -> None:
        given = context.ensure_object(Session).given
        if value not in (None, False) and parameter.name is not None:
            given[parameter.name] = value

    def option(*names: str, **more: Any) -> click.Option:
        return click.Option(names, callback=keep, expose_value=False, hidden=hidden, **more)

    return [
        option("--db", metavar="PATH", help="The memory's file (TKGMEM_DB; see `tkgmem path`)."),
        option("--group", metavar="NAME", help="The group to speak of (TKGMEM_GROUP; 'default')."),
        option("--model", metavar="NAME", help="The language model that reads texts (TKGMEM_MODEL; '' for none)."),
        option("--json", "as_json", is_flag=True, help="One JSON object instead of a table."),
        option("--nl", is_flag=True, help="One JSON object a line instead of a table."),
        option("--tz", metavar="ZONE", help="Read and show dates in this zone, such as Europe/Berlin (UTC)."),
        option("-q", "--quiet", is_flag=True, help="No messages, no progress."),
    ]


class Verb(click.Command):
    """A verb, which takes the options of tkgmem itself as well."""

    def __init__(self, *args: Any, **more: Any) -> None:
        more.setdefault("epilog", "The options of tkgmem itself (--db --group --model --json --nl --tz -q) may stand here too.")
        super().__init__(*args, **more)
        self.params += shared_options(hidden=True)


class Verbs(click.Group):
    """The group of all verbs."""

    command_class = Verb

    def list_commands(self, _: click.Context) -> list[str]:
        """All verbs, by name."""
        return sorted(verb for verbs in VERBS.values() for verb in verbs)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs as click would write it, and load none."""
        told = [click.Command(verb, help=does) for verbs in VERBS.values() for verb, does in verbs.items()]
        click.Group(commands=told).format_commands(click.Context(self), formatter)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """A verb, loaded now if it is not yet; None for none."""
        for module, verbs in VERBS.items():
            if name in verbs:
                importlib.import_module(f"tkgmem.cli.{module}")
        return super().get_command(context, name)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run one command line. In standalone mode it ends the process with the exit code."""

        def run() -> Any:
            return click.Group.main(
                self, args, prog_name or "tkgmem", complete_var, False, windows_expand_args=windows_expand_args, **extra
            )

        return sys.exit(exit_code(run)) if standalone_mode else run()


def exit_code(run: Callable[[], object]) -> int:
    """Run, and turn what is raised on purpose into one line on stderr and an exit code."""
    if sys.stdout is None:  # whoever called closed it
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a console that lacks a character shows "?" in its place
    try:
        code = run()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (KeyboardInterrupt, click.Abort, click.ClickException, TkgmemError, ValueError, OSError) as error:
        _LOG.debug("%s", type(error).__name__, exc_info=True)
        click.echo(f"tkgmem: {harmless(' '.join(_message_of(error).split()))}", err=True)
        return _code_of(error)
    return code if isinstance(code, int) else 0


def _interrupted(error: BaseException) -> bool:
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)


def _message_of(error: BaseException) -> str:
    if _interrupted(error):
        return "interrupted"
    if isinstance(error, click.Abort):
        return "not confirmed; nothing was changed"
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"{error.format_message().rstrip('.')}; see '{error.ctx.command_path} --help'"
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use {error.filename}: {error.strerror}"
    return error.format_message() if isinstance(error, click.ClickException) else str(error)


def _code_of(error: BaseException) -> int:
    if _interrupted(error):
        return 130
    if isinstance(error, click.ClickException):
        return error.exit_code
    return next((code for kinds, code in _CODES if isinstance(error, kinds)), 1)


_CODES: tuple[tuple[tuple[type[BaseException], ...], int], ...] = (
    ((FileBusy, WriteConflict, LLMError), 3),
    ((StoreError, ModelFileMissing, OSError), 4),
    ((NotFound,), 5),
    ((ValueError,), 2),
)
"""Kinds of errors to exit codes; the first that fits counts."""


def _version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from importlib import metadata  # late: no other option needs it

        try:
            click.echo(f"tkgmem {metadata.version('tkgmem')}")
        except metadata.PackageNotFoundError:
            click.echo("tkgmem, not installed: run from its source folder")
        context.exit()


@click.group(cls=Verbs, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Show the version.")
@click.pass_context
def main(context: click.Context) -> None:
    """A memory of dated facts in one file: what was said, what held when, and what was believed when.

    \b
    tkgmem demo                                     a story to begin with
    tkgmem add "Maya moved to Lisbon in May 2024."  keep a text, learn its facts
    tkgmem search "where does Maya live"            find by words and meaning
    tkgmem as-of 2024-06-01                         what held on that day
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


main.params += shared_options(hidden=False)
