-- Schema 1. Instants are integer microseconds since 1970-01-01 UTC. valid_at/invalid_at bound when something holds in the world,
-- created_at/expired_at when it was believed; NULL is an unknown or open bound. Ids are never reused (AUTOINCREMENT).

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- one row for each change of belief: the ticks of the system clock
CREATE TABLE transactions (
  created_at INTEGER PRIMARY KEY,
  verb TEXT NOT NULL,
  group_id INTEGER REFERENCES groups (id),
  episode_id INTEGER REFERENCES episodes (id) ON DELETE SET NULL,
  reason TEXT
) STRICT;

CREATE TABLE episodes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  group_id INTEGER NOT NULL REFERENCES groups (id),
  source TEXT NOT NULL CHECK (source IN ('text', 'message', 'json')),
  name TEXT,
  description TEXT,
  speaker TEXT,
  content TEXT NOT NULL,
  metadata TEXT NOT NULL DEFAULT '{}',
  reference_time INTEGER NOT NULL,
  reference_offset INTEGER NOT NULL, -- seconds east of UTC, as given
  extract INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'failed')),
  error TEXT
) STRICT;
CREATE INDEX episodes_by_time ON episodes (group_id, reference_time, id);
CREATE INDEX episodes_by_system_time ON episodes (group_id, created_at);
CREATE INDEX episodes_by_state ON episodes (state) WHERE state <> 'done';

CREATE TABLE entities (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  group_id INTEGER NOT NULL REFERENCES groups (id),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX entities_by_system_time ON entities (group_id, created_at);

-- every name an entity goes by, its own included; `key` is the name as it is compared
CREATE TABLE aliases (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  group_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expired_at INTEGER
) STRICT;
CREATE INDEX aliases_by_key ON aliases (group_id, key);
CREATE INDEX aliases_by_entity ON aliases (entity_id);

CREATE TABLE mentions (
  entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  span_start INTEGER NOT NULL,
  span_end INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (entity_id, episode_id, span_start, span_end)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_by_episode ON mentions (episode_id);

CREATE TABLE relations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  functional INTEGER NOT NULL CHECK (functional IN (0, 1)),
  inverse TEXT,
  aliases TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  expired_at INTEGER
) STRICT;
CREATE INDEX relations_by_name ON relations (name);

-- what was asserted: append-only, closed in system time, never edited
CREATE TABLE claims (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  group_id INTEGER NOT NULL REFERENCES groups (id),
  kind TEXT NOT NULL CHECK (kind IN ('assert', 'end', 'planned')),
  source_id INTEGER NOT NULL REFERENCES entities (id),
  relation TEXT NOT NULL,
  target_id INTEGER NOT NULL REFERENCES entities (id),
  fact TEXT,
  valid_at INTEGER,
  invalid_at INTEGER,
  valid_precision TEXT,
  invalid_precision TEXT,
  reference_time INTEGER,
  episode_id INTEGER REFERENCES episodes (id),
  span_start INTEGER, -- where the episode says it, in characters
  span_end INTEGER,
  attributes TEXT NOT NULL DEFAULT '{}',
  made_by TEXT NOT NULL,
  position INTEGER NOT NULL, -- in its transaction
  created_at INTEGER NOT NULL,
  expired_at INTEGER,
  expired_by_episode_id INTEGER REFERENCES episodes (id), -- the source of the correction that closed it
  replaced_by_id INTEGER REFERENCES claims (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX claims_by_triple ON claims (group_id, relation, source_id, target_id);
CREATE INDEX claims_by_system_time ON claims (group_id, created_at);
CREATE INDEX claims_by_target ON claims (group_id, target_id, relation);
CREATE INDEX claims_by_source ON claims (source_id);
CREATE INDEX claims_by_target_entity ON claims (target_id);
CREATE INDEX claims_by_episode ON claims (episode_id);
CREATE INDEX claims_by_correction ON claims (expired_by_episode_id) WHERE expired_by_episode_id IS NOT NULL;
CREATE INDEX claims_by_replacement ON claims (replaced_by_id) WHERE replaced_by_id IS NOT NULL;

-- judged conflicts between two claims
CREATE TABLE conflicts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  claim_id INTEGER NOT NULL REFERENCES claims (id) ON DELETE CASCADE,
  other_id INTEGER NOT NULL REFERENCES claims (id) ON DELETE CASCADE,
  episode_id INTEGER REFERENCES episodes (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expired_at INTEGER
) STRICT;
CREATE INDEX conflicts_by_claim ON conflicts (claim_id);
CREATE INDEX conflicts_by_other ON conflicts (other_id);

-- derived from claims: when each fact was believed to hold; fact_id is its first recorded claim
CREATE TABLE versions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  fact_id INTEGER NOT NULL REFERENCES claims (id),
  group_id INTEGER NOT NULL,
  source_id INTEGER NOT NULL,
  relation TEXT NOT NULL,
  target_id INTEGER NOT NULL,
  valid_at INTEGER,
  invalid_at INTEGER,
  valid_precision TEXT,
  invalid_precision TEXT,
  cause TEXT, -- why it ends: stated, ended, superseded, judged
  cause_id INTEGER REFERENCES claims (id),
  learned_at INTEGER, -- when another claim told that it ends
  created_at INTEGER NOT NULL,
  expired_at INTEGER
) STRICT;
CREATE INDEX versions_by_fact ON versions (fact_id);
CREATE INDEX versions_by_source ON versions (group_id, source_id, relation);
CREATE INDEX versions_by_target ON versions (group_id, target_id, relation);
-- all that a question needs to know of a version: it can be answered from the index alone
CREATE INDEX versions_by_clocks ON versions (group_id, expired_at, created_at, valid_at, invalid_at, fact_id);
CREATE INDEX versions_by_cause ON versions (cause_id) WHERE cause_id IS NOT NULL;

-- derived from claims: which claim supports which fact; undated: an announcement without a date, which has no version
CREATE TABLE supports (
  claim_id INTEGER NOT NULL REFERENCES claims (id),
  fact_id INTEGER NOT NULL REFERENCES claims (id),
  undated INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expired_at INTEGER,
  PRIMARY KEY (claim_id, fact_id, created_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX supports_by_fact ON supports (fact_id);
CREATE INDEX supports_undated ON supports (claim_id) WHERE undated;

-- full text; derived, words are cut by the program (CJK in pairs), so any SQLite with FTS5 can search it
CREATE VIRTUAL TABLE episode_text USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE claim_text USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE entity_text USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2');

-- the pieces of text that have a vector; the row id is also the vector's, and is never used again
CREATE TABLE passages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  episode_id INTEGER REFERENCES episodes (id) ON DELETE CASCADE,
  claim_id INTEGER REFERENCES claims (id) ON DELETE CASCADE,
  CHECK ((episode_id IS NULL) <> (claim_id IS NULL))
) STRICT;
CREATE INDEX passages_by_episode ON passages (episode_id) WHERE episode_id IS NOT NULL;
CREATE INDEX passages_by_claim ON passages (claim_id) WHERE claim_id IS NOT NULL;

-- for people who open the file with another tool: dates as text, as precise as they were stated

CREATE VIEW fact_history AS
SELECT
  g.name AS "group",
  s.name AS source,
  v.relation,
  t.name AS target,
  substr(strftime('%Y-%m-%d %H:%M:%SZ', (v.valid_at - 999999 * (v.valid_at < 0)) / 1000000, 'unixepoch'), 1,
    CASE v.valid_precision WHEN 'year' THEN 4 WHEN 'month' THEN 7 WHEN 'day' THEN 10 ELSE 20 END) AS valid_at,
  substr(strftime('%Y-%m-%d %H:%M:%SZ', (v.invalid_at - 999999 * (v.invalid_at < 0)) / 1000000, 'unixepoch'), 1,
    CASE v.invalid_precision WHEN 'year' THEN 4 WHEN 'month' THEN 7 WHEN 'day' THEN 10 ELSE 20 END) AS invalid_at,
  strftime('%Y-%m-%d %H:%M:%SZ', (v.created_at - 999999 * (v.created_at < 0)) / 1000000, 'unixepoch') AS believed_from,
  strftime('%Y-%m-%d %H:%M:%SZ', (v.expired_at - 999999 * (v.expired_at < 0)) / 1000000, 'unixepoch') AS believed_until,
  v.cause AS ends_because,
  c.fact AS said,
  c.uuid AS fact_uuid
FROM versions v
JOIN groups g ON g.id = v.group_id
JOIN entities s ON s.id = v.source_id
JOIN entities t ON t.id = v.target_id
JOIN claims c ON c.id = v.fact_id
ORDER BY g.name, s.name, v.relation, v.created_at, v.valid_at;

CREATE VIEW facts AS
SELECT "group", source, relation, target, valid_at, invalid_at, ends_because, said, fact_uuid
FROM fact_history
WHERE believed_until IS NULL
ORDER BY "group", source, relation, valid_at;

CREATE VIEW claim_list AS
SELECT
  c.id,
  g.name AS "group",
  c.kind,
  s.name AS source,
  c.relation,
  t.name AS target,
  substr(strftime('%Y-%m-%d %H:%M:%SZ', (c.valid_at - 999999 * (c.valid_at < 0)) / 1000000, 'unixepoch'), 1,
    CASE c.valid_precision WHEN 'year' THEN 4 WHEN 'month' THEN 7 WHEN 'day' THEN 10 ELSE 20 END) AS valid_at,
  substr(strftime('%Y-%m-%d %H:%M:%SZ', (c.invalid_at - 999999 * (c.invalid_at < 0)) / 1000000, 'unixepoch'), 1,
    CASE c.invalid_precision WHEN 'year' THEN 4 WHEN 'month' THEN 7 WHEN 'day' THEN 10 ELSE 20 END) AS invalid_at,
  strftime('%Y-%m-%d %H:%M:%SZ', (c.created_at - 999999 * (c.created_at < 0)) / 1000000, 'unixepoch') AS recorded,
  strftime('%Y-%m-%d %H:%M:%SZ', (c.expired_at - 999999 * (c.expired_at < 0)) / 1000000, 'unixepoch') AS taken_back,
  c.made_by,
  substr(e.content, c.span_start + 1, c.span_end - c.span_start) AS evidence,
  c.uuid
FROM claims c
JOIN groups g ON g.id = c.group_id
JOIN entities s ON s.id = c.source_id
JOIN entities t ON t.id = c.target_id
LEFT JOIN episodes e ON e.id = c.episode_id
ORDER BY c.id;

CREATE VIEW episode_list AS
SELECT
  e.id,
  g.name AS "group",
  strftime('%Y-%m-%d %H:%M:%SZ', (e.reference_time - 999999 * (e.reference_time < 0)) / 1000000, 'unixepoch') AS told,
  e.speaker,
  e.content,
  e.source,
  e.name,
  e.state,
  e.error,
  e.uuid
FROM episodes e
JOIN groups g ON g.id = e.group_id
ORDER BY e.reference_time, e.id;
