"""What other programs keep, and other memories: texts that are told as if they had been told then, and dumps of facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from tkgmem.arguments import checked_group
from tkgmem.errors import StoreError
from tkgmem.ingest.episodes import Mapped
from tkgmem.ingest.record_mapping import check
from tkgmem.ingest.writer import Writer
from tkgmem.reports import MergeReport
from tkgmem.store import read
from tkgmem.store.connection import Store
from tkgmem.store.names import clean_name

if TYPE_CHECKING:
    from tkgmem.graph import AddResult
    from tkgmem.importers.reading import TextFormat
    from tkgmem.importers.source import Found
    from tkgmem.portable.exchange import ImportFormat

AT_ONCE = 64
"""How many texts are told together: an interruption loses no more than the work on these."""
_SHOWN = 100


class Importing:
    """The verb of a memory that takes in what others keep."""

    group: str
    _store: Store
    _writer: Writer
    _now: Callable[[], int]

    if TYPE_CHECKING:

        def add_many(
            self, episodes: Iterable[Mapping[str, Any]], *, progress: Callable[[int, int], object] | None = None
        ) -> list[AddResult]: ...

    def import_(
        self,
        path: str | Path | IO[str],
        *,
        format: ImportFormat | TextFormat | None = None,  # noqa: A002  the name is a contract
        group: str | None = None,
        speaker: str | None = None,
        extract: bool | Literal["later"] = True,
        mapping: Mapped | None = None,
        told_at: str | None = None,
        dry_run: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> MergeReport:
        """Take in what `export` wrote, another memory's dump, or the conversations and notes that other programs keep.

        path: a file or folder; of a dump also a text stream. format: by default what it looks like.
        Dumps, taken in as `merge` does: "tkgmem"; "graphiti": JSON of nodes and edges with their four dates; "mcp-memory": JSON
        lines of the MCP memory server. What they hold becomes claims in `group`, unless they name one.
        Texts, told in order of time, as of the date they have there: "chatgpt" and "claude": the data exports, as ZIP, folder
        or `conversations.json`; "claude-code": a session or a folder of them; "notes": Markdown or plain text, one or a folder;
        "records": JSON lines with a `mapping` (see the README); told_at: the member with a record's date ("fields.updated").
        speaker: who the user is, "User" where the source does not say. extract: as in `add`; what assistants said is kept and
        found, and never read for facts. dry_run: say what there is, and add nothing. progress: told how many texts of how many
        are done.

        A second time nothing changes; after an interruption, call it again. Raises ValueError naming the place that cannot be
        read, StoreError; of a dump nothing is written then.
        """
        own = self.group if group is None else checked_group(group)
        if speaker is not None:
            clean_name(speaker, "speaker")
        if mapping is not None:
            check(mapping)
        if isinstance(path, str | Path):
            if not Path(path).exists():
                raise StoreError(f"there is no file {path} to import, nor a folder")
            form = self._text_format(Path(path), format, mapping)
            if form is not None:
                from tkgmem.importers import reading
                from tkgmem.importers.source import Options

                found = reading.read(Path(path), form, Options(own, speaker), mapping=mapping, told_at=told_at)
                if found.skipped and not found.texts:
                    raise ValueError(f"nothing there could be read as {form}: {found.skipped[0]}")
                return self._take_in(found, own, extract, dry_run, progress)
        if speaker is not None or mapping is not None or told_at is not None or dry_run or extract is not True:
            raise ValueError(f"{path} is a dump of facts; speaker, extract, mapping, told_at and dry_run are for texts")
        from tkgmem.portable import exchange

        form_ = exchange.checked_format(format)
        return exchange.import_(self._store, self._writer.embedder, path, form=form_, group=own, now=self._now())

    @staticmethod
    def _text_format(path: Path, form: str | None, mapping: object) -> TextFormat | None:
        """The format of texts that a path has; None if it is to be a dump."""
        from tkgmem.importers import reading

        if form is not None:
            return next((known for known in reading.FORMATS if known == form), None)
        return "records" if mapping is not None else reading.detect(path)

    def _take_in(
        self,
        found: Found,
        group: str,
        extract: bool | Literal["later"],
        dry_run: bool,
        progress: Callable[[int, int], object] | None,
    ) -> MergeReport:
        with self._store.read() as db:
            known = read.done(db, (text["uuid"] for text in found.texts))
        texts = list({text["uuid"]: {"extract": extract, "group": group, **text} for text in found.texts}.values())
        if extract == "later":  # what is not to be read for facts waits for its vector all the same
            texts = [text if text["extract"] else {**text, "extract": "later", "facts": []} for text in texts]
        new = [text for text in texts if text["uuid"] not in known]
        warnings = found.skipped
        results: list[AddResult] = []
        for start in range(0, 0 if dry_run else len(new), AT_ONCE):
            results += self._told(new[start : start + AT_ONCE], warnings)
            if progress is not None:
                progress(min(start + AT_ONCE, len(new)), len(new))
        failed = [result.episode for result in results if result.episode.state == "failed"]
        warnings += [f"kept, but not read: {episode.error}" for episode in failed]
        if len(warnings) > _SHOWN:
            warnings[_SHOWN:] = [f"and {len(warnings) - _SHOWN} more like these"]
        return MergeReport(
            episodes=len(new) if dry_run else len(results),
            entities=len({entity.uuid for result in results for entity in result.new_entities}),
            claims=sum(len(result.facts) for result in results),
            changed=0,
            joined=0,
            warnings=tuple(warnings),
            conversations=found.conversations,
            unchanged=len(texts) - len(new),
            failed=len(failed),
        )

    def _told(self, texts: Sequence[Mapping[str, Any]], warnings: list[str]) -> list[AddResult]:
        """Add texts; one that cannot be is left out, and said."""
        try:
            return self.add_many(texts)
        except ValueError as error:
            if len(texts) > 1:
                return [result for text in texts for result in self._told([text], warnings)]
            where = texts[0]["metadata"]
            warnings.append(f"{where.get('file') or texts[0].get('name')} {where.get('message', '')}: {error}")
            return []
