"""Rows of one file taken over into another, each at its own instant. Nothing is derived here: `seeds` says what is to be."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import apsw

from tkgmem.graph import EpisodeState
from tkgmem.store import claims, identity, lexical, relations, write
from tkgmem.store.passages import claim_passage, episode_passage
from tkgmem.store.replayed import happenings
from tkgmem.store.replayed.happenings import Happening, Reading
from tkgmem.store.replayed.matching import Same, Unheard
from tkgmem.store.replayed.rows import COLUMNS, GAPS, Table
from tkgmem.store.rows import in_list
from tkgmem.temporal.relations import Relation


@dataclass(slots=True)
class Taking:
    """From `old` into `new`. seeds: claims to derive again. unheard: what is to get a vector. lost: rows that speak of what the
    new file does not have, by table.
    """

    old: apsw.Connection
    new: apsw.Connection
    same: Same
    seeds: dict[int, None] = field(default_factory=dict)
    unheard: list[Unheard] = field(default_factory=list)
    lost: dict[str, int] = field(default_factory=dict)

    def begin(self) -> None:
        """Let what is built in be defined as it is in the old file, whichever version made that."""
        names = ", ".join(COLUMNS["relations"])
        rows = self.old.execute(
            f"SELECT {names} FROM relations WHERE created_at = ? ORDER BY id", (relations.ALWAYS,)
        ).fetchall()
        self.new.execute("DELETE FROM relations")
        self.new.executemany(f"INSERT INTO relations ({names}) VALUES (?, ?, ?, ?, ?, ?)", rows)

    def define(self) -> None:
        """Let relations be defined just as in the old file: those of an import were put between what was defined before."""
        names = f"{', '.join(COLUMNS['relations'])}, expired_at"
        query = f"SELECT {names} FROM relations ORDER BY created_at, name, id"
        rows = self.old.execute(query).fetchall()
        if rows != self.new.execute(query).fetchall():
            self.new.execute("DELETE FROM relations")
            self.new.executemany(f"INSERT INTO relations ({names}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            self.seeds |= dict.fromkeys(row.id for row in claims.everything(self.new))

    def apply(self, happening: Happening) -> None:
        """Let one thing happen."""
        if happening.table == "transactions":
            self._tick(happening.row)
        elif happening.table == "gaps":
            self._gap(happening)
        elif happening.what == "closed":
            self._close(happening.table, happening.row)
        else:
            self._tell(happening.table, happening.row)

    # --- texts ---

    def settle(self, row: int) -> None:
        """Let a text have the state that it has in the old file, with the reason; searchable, as there."""
        if self.old.execute("SELECT EXISTS (SELECT 1 FROM passages WHERE episode_id = ?)", (row,)).get:
            self.searchable(row)
        state, error = self.old.execute("SELECT state, error FROM episodes WHERE id = ?", (row,)).get
        checked: EpisodeState = state
        write.set_state(self.new, self.same.episode(row), checked, error)

    def searchable(self, row: int) -> None:
        """Let a text be found by its words, whatever was read from it."""
        new = self.same.episode(row)
        if not self.new.execute("SELECT EXISTS (SELECT 1 FROM episode_text WHERE rowid = ?)", (new,)).get:
            query = "SELECT group_id, speaker, content FROM episodes WHERE id = ?"
            group, speaker, content = self.old.execute(query, (row,)).get
            text = episode_passage(content, speaker)
            lexical.index_episode(self.new, new, text)
            self.unheard.append(("episode", new, self.same.group(group), text))

    def reading(self, reading: Reading) -> None:
        """Take over what one reading told, where nothing can say it again."""
        for happening in happenings.of_reading(self.old, reading):
            self.apply(happening)
        rows: Any = self.old.execute(
            "SELECT entity_id, span_start, span_end, created_at FROM mentions WHERE episode_id = ? ORDER BY 1, 2, 3",
            (reading.episode,),
        )
        for entity, start, end, at in rows:
            write.insert_mention(self.new, self.same.entity(entity), self.same.episode(reading.episode), (start, end), at)
        self.settle(reading.episode)

    # --- what is told ---

    def _tell(self, table: Table, row: int) -> None:
        if table == "episodes" or self.same.knows(table, row):
            return
        values = self.same.values(table, row)
        if values is None:
            self.lost[table] = self.lost.get(table, 0) + 1
            return
        if table == "relations":
            query = "DELETE FROM relations WHERE name = ? AND expired_at IS NULL AND created_at >= ?"
            self.new.execute(query, (values["name"], values["created_at"]))
            relations.close(self.new, values["name"], values["created_at"])
        elif table == "claims" and values["relation"] not in relations.load(self.new):
            relations.insert(self.new, Relation(values["relation"], functional=False), values["created_at"])
        names = [*values]
        quoted = ", ".join(f'"{name}"' for name in names)
        self.new.execute(f"INSERT INTO {table} ({quoted}) VALUES (:{', :'.join(names)})", values)
        new = self.new.last_insert_rowid()
        self.same.keep(table, row, new)
        if table == "claims":
            text = claim_passage(values["lead"], values["fact"])
            lexical.index_claim(self.new, new, text)
            self.unheard.append(("claim", new, values["group_id"], text))
        elif table == "aliases":
            lexical.index_alias(self.new, new, values["name"])
            if values["episode_id"] is None:
                self.unheard.append(("entity", values["entity_id"], values["group_id"], values["name"]))
        self._touch(table, new)

    def _touch(self, table: Table, new: int) -> None:
        """Remember whose derivation a row bears on."""
        if table == "claims":
            self.seeds[new] = None
        elif table in ("conflicts", "moves"):
            ends = "claim_id, other_id" if table == "conflicts" else "claim_id, claim_id"
            self.seeds |= dict.fromkeys(self.new.execute(f"SELECT {ends} FROM {table} WHERE id = ?", (new,)).get)
        elif table == "merges":
            ends = self.new.execute("SELECT entity_id, into_id FROM merges WHERE id = ?", (new,)).get
            concerned = claims.touching(self.new, identity.ever_one_with(self.new, ends))
            self.seeds |= dict.fromkeys(claim.id for claim in concerned)
        elif table == "relations":
            name = str(self.new.execute("SELECT name FROM relations WHERE id = ?", (new,)).get)
            self.seeds |= dict.fromkeys(claim.id for claim in claims.named(self.new, self._meant_by(name)))

    def _meant_by(self, name: str) -> set[str]:
        """Every name under which claims of a relation may have been recorded, by any definition there was."""
        now = relations.load(self.new)
        tables = [now, *(relations.load(self.new, at - 1) for at in relations.changes(self.new)[-1:])]
        return {other for table in tables for other, _ in table.recorded_as(table.resolve(name).relation.name)} | {name}

    # --- what is no longer believed, and what is again ---

    def _close(self, table: Table, row: int) -> None:
        more = "expired_by_episode_id, replaced_by_id" if table == "claims" else "NULL, NULL"
        at, by, successor = self.old.execute(f"SELECT expired_at, {more} FROM {table} WHERE id = ?", (row,)).get
        self._end(table, row, at, by, successor)

    def _end(self, table: Table, row: int, at: Any, by: Any = None, successor: Any = None) -> None:
        if table == "aliases" and not self.same.anew:  # of an entity of another file, which nothing named yet
            self.same.entity(int(str(self.old.execute("SELECT entity_id FROM aliases WHERE id = ?", (row,)).get)))
        new = self.same.match(table, row)
        if new is None:
            self.lost[table] = self.lost.get(table, 0) + 1
            return
        self.new.execute(f"UPDATE {table} SET expired_at = ? WHERE id = ?", (at, new))
        if table == "claims":
            closer = None if by is None else self.same.episode(by)
            other = None if successor is None else self.same.match("claims", successor)
            query = "UPDATE claims SET expired_by_episode_id = ?, replaced_by_id = ? WHERE id = ?"
            self.new.execute(query, (closer, other, new))
        self._touch(table, new)

    def _gap(self, happening: Happening) -> None:
        table, row = happenings.interrupted(self.old, happening.row)
        query = "SELECT created_at, expired_at, by_episode_id, replaced_by_id FROM gaps WHERE id = ?"
        begun, ended, by, successor = self.old.execute(query, (happening.row,)).fetchone() or (None,) * 4
        if happening.what == "interrupted":
            self._end(table, row, begun, by, successor)
            return
        new = self.same.match(table, row)
        if new is None:
            return
        more = ", expired_by_episode_id = NULL, replaced_by_id = NULL" if table == "claims" else ""
        self.new.execute(f"UPDATE {table} SET expired_at = NULL{more} WHERE id = ?", (new,))
        column = next(column for column, of in GAPS.items() if of == table)
        closer = None if by is None else self.same.episode(by)
        other = None if successor is None else self.same.match("claims", successor)
        self.new.execute(
            f"INSERT INTO gaps ({column}, by_episode_id, replaced_by_id, created_at, expired_at) VALUES (?, ?, ?, ?, ?)",
            (new, closer, other, begun, ended),
        )
        self._touch(table, new)

    def _tick(self, row: int) -> None:
        """A change of belief. What an import brought is named by numbers of rows, which mean something else in the new file."""
        at, verb, group, episode, reason, detail = (
            self.old.execute(
                "SELECT created_at, verb, group_id, episode_id, reason, detail FROM transactions WHERE id = ?", (row,)
            ).fetchone()
            or (None,) * 6
        )
        self.new.execute(
            "INSERT INTO transactions (created_at, verb, group_id, episode_id, reason, detail) VALUES (?, ?, ?, ?, ?, ?)",
            (
                at,
                verb,
                None if group is None else self.same.group(int(str(group))),
                None if episode is None else self.same.episode(int(str(episode))),
                reason,
                self._detail(str(verb), detail),
            ),
        )

    def _detail(self, verb: str, detail: Any) -> str | None:
        """What a change was of, with the number that the change has here which an undo takes back."""
        if detail is None or verb == "import":
            return None
        kept = json.loads(detail)
        if verb == "undo" and isinstance(kept.get("change"), int):
            said = self.old.execute("SELECT created_at, verb FROM transactions WHERE id = ?", (kept["change"],)).fetchone()
            here = "SELECT min(id) FROM transactions WHERE created_at = ? AND verb = ?"
            kept["change"] = None if said is None else self.new.execute(here, said).get
        return json.dumps(kept, ensure_ascii=False)


def take_model_calls(old: apsw.Connection, new: apsw.Connection) -> None:
    """Take the whole model-call log over."""
    columns = "key, episode_id, purpose, model, request, response, usable, prompt_tokens, completion_tokens, cost, created_at"
    same = "SELECT id, uuid FROM episodes WHERE uuid IN (SELECT value FROM json_each(?))"
    uuids = dict(old.execute("SELECT id, uuid FROM episodes"))
    there = {uuid: row for row, uuid in new.execute(same, (in_list(uuids.values()),))}
    numbers: dict[Any, int] = {}
    rows: Any = old.execute(f"SELECT id, {columns} FROM model_calls ORDER BY id")
    for number, key, episode, *rest in rows:
        marks = ", ".join("?" * (len(rest) + 2))
        new.execute(f"INSERT INTO model_calls ({columns}) VALUES ({marks})", (key, there[uuids[episode]], *rest))
        numbers[number] = new.last_insert_rowid()
    quotes: Any = old.execute("SELECT call_id, episode_id FROM model_call_quotes ORDER BY 1, 2")
    new.executemany(
        "INSERT INTO model_call_quotes (call_id, episode_id) VALUES (?, ?)",
        [(numbers[call], there[uuids[episode]]) for call, episode in quotes],
    )
