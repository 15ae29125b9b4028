-- Schema 6: the wide view. Communities are derived, and kept: who belongs to which, and what is said of them, each over a
-- stretch of system time. Instants are written as in schema 1.

-- one row for each time that the communities of a group were looked after
CREATE TABLE passes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES groups (id),
  whole INTEGER NOT NULL CHECK (whole IN (0, 1)), -- all were made anew; else new entities joined those there were
  valid_at INTEGER NOT NULL, -- by the facts that held then
  known_at INTEGER NOT NULL, -- everything recorded up to it was seen
  change INTEGER NOT NULL, -- the last row of transactions that was seen; 0 in a file that took the pass over
  entities INTEGER NOT NULL,
  changed INTEGER NOT NULL, -- entities that joined or left since all were compared
  modularity REAL NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX passes_by_time ON passes (group_id, created_at, id);

CREATE TABLE communities (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  group_id INTEGER NOT NULL REFERENCES groups (id),
  created_at INTEGER NOT NULL,
  expired_at INTEGER
) STRICT;
CREATE INDEX communities_by_system_time ON communities (group_id, created_at, expired_at);

CREATE TABLE members (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  community_id INTEGER NOT NULL REFERENCES communities (id) ON DELETE CASCADE,
  entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expired_at INTEGER
) STRICT;
CREATE INDEX members_by_community ON members (community_id, created_at, expired_at, entity_id);
CREATE INDEX members_by_entity ON members (entity_id, created_at, expired_at, community_id);

-- what was written of a community, an entity or a conversation: one version over a stretch of system time. Those of communities
-- are searched; of the others only what a model wrote is kept
CREATE TABLE summaries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES groups (id),
  community_id INTEGER REFERENCES communities (id) ON DELETE CASCADE,
  entity_id INTEGER REFERENCES entities (id) ON DELETE CASCADE,
  conversation TEXT, -- the name of its episodes
  name TEXT NOT NULL, -- of a community; empty for others
  text TEXT NOT NULL,
  model TEXT, -- which wrote it; NULL where none did
  valid_at INTEGER NOT NULL, -- by the facts that held then
  known_at INTEGER NOT NULL, -- everything recorded up to it was seen
  created_at INTEGER NOT NULL,
  expired_at INTEGER,
  CHECK ((community_id IS NOT NULL) + (entity_id IS NOT NULL) + (conversation IS NOT NULL) = 1)
) STRICT;
CREATE INDEX summaries_by_system_time ON summaries (group_id, created_at, expired_at);
CREATE INDEX summaries_by_community ON summaries (community_id, created_at) WHERE community_id IS NOT NULL;
CREATE INDEX summaries_by_entity ON summaries (entity_id, created_at) WHERE entity_id IS NOT NULL;
CREATE INDEX summaries_by_conversation ON summaries (group_id, conversation, created_at) WHERE conversation IS NOT NULL;

-- the facts that a version was made from (the first claim of each), with a checksum of the line that each was then
CREATE TABLE summary_facts (
  summary_id INTEGER NOT NULL REFERENCES summaries (id) ON DELETE CASCADE,
  claim_id INTEGER NOT NULL REFERENCES claims (id) ON DELETE CASCADE,
  line TEXT NOT NULL,
  PRIMARY KEY (summary_id, claim_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX summary_facts_by_claim ON summary_facts (claim_id);

-- the entities that a version may name: if one of them is forgotten, or a name of it, so is the version
CREATE TABLE summary_entities (
  summary_id INTEGER NOT NULL REFERENCES summaries (id) ON DELETE CASCADE,
  entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  PRIMARY KEY (summary_id, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX summary_entities_by_entity ON summary_entities (entity_id);

-- the vectors of the versions that are searched
CREATE TABLE summary_vectors (
  id INTEGER PRIMARY KEY REFERENCES summaries (id) ON DELETE CASCADE,
  language TEXT NOT NULL,
  vector BLOB NOT NULL -- float32, of unit length
) STRICT;

CREATE VIRTUAL TABLE summary_text USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2');

-- what summaries cost, without a word of what was asked or said
CREATE TABLE summary_calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES groups (id),
  model TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  cost REAL,
  created_at INTEGER NOT NULL
) STRICT;

ALTER TABLE recalls ADD COLUMN communities TEXT NOT NULL DEFAULT '[]';

-- for people who open the file with another tool
CREATE VIEW community_list AS
SELECT
  g.name AS "group",
  s.name,
  s.text AS summary,
  (SELECT count(*) FROM members m WHERE m.community_id = c.id AND m.expired_at IS NULL) AS members,
  c.uuid
FROM communities c
JOIN groups g ON g.id = c.group_id
LEFT JOIN summaries s ON s.community_id = c.id AND s.expired_at IS NULL
WHERE c.expired_at IS NULL
ORDER BY g.name, members DESC, c.id;
