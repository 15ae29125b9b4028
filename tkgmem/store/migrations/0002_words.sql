-- Schema 2: what reading words needs. Names and traits with their source, merged and split entities, vectors of names, and the
-- log of model calls. Instants and unknown bounds are written as in schema 1.

-- what its extraction was asked with, so that a retry asks the same: ontology, instructions, mapping, reflexion (JSON)
ALTER TABLE episodes ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';

-- the text that gave the name; NULL where a program gave it, or it is the entity's first name
ALTER TABLE aliases ADD COLUMN episode_id INTEGER REFERENCES episodes (id) ON DELETE CASCADE;
CREATE INDEX aliases_by_episode ON aliases (episode_id) WHERE episode_id IS NOT NULL;

-- what kind of thing an entity is, and its attributes (JSON), as one source tells; a later row adds to and overrides earlier ones
CREATE TABLE traits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  episode_id INTEGER REFERENCES episodes (id) ON DELETE CASCADE,
  type TEXT,
  attributes TEXT NOT NULL DEFAULT '{}',
  created_at INTEGER NOT NULL,
  expired_at INTEGER
) STRICT;
CREATE INDEX traits_by_entity ON traits (entity_id);
CREATE INDEX traits_by_episode ON traits (episode_id) WHERE episode_id IS NOT NULL;

-- entity_id is the same as into_id while believed; claims keep the entity they were recorded with
CREATE TABLE merges (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES groups (id),
  entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  into_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  episode_id INTEGER REFERENCES episodes (id) ON DELETE CASCADE, -- the text that said so, NULL where a program did
  created_at INTEGER NOT NULL,
  expired_at INTEGER,
  CHECK (entity_id <> into_id)
) STRICT;
CREATE INDEX merges_by_entity ON merges (entity_id);
CREATE INDEX merges_by_target ON merges (into_id);
CREATE INDEX merges_by_episode ON merges (episode_id) WHERE episode_id IS NOT NULL;

-- one end of a claim is another entity than the one it was recorded with, while believed
CREATE TABLE moves (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  claim_id INTEGER NOT NULL REFERENCES claims (id) ON DELETE CASCADE,
  end TEXT NOT NULL CHECK (end IN ('source', 'target')),
  entity_id INTEGER NOT NULL REFERENCES entities (id),
  created_at INTEGER NOT NULL,
  expired_at INTEGER
) STRICT;
CREATE INDEX moves_by_claim ON moves (claim_id);
CREATE INDEX moves_by_entity ON moves (entity_id);

-- every question put to a model for an episode and what it said; key: the checksum of model and question
CREATE TABLE model_calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL,
  episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  purpose TEXT NOT NULL,
  model TEXT NOT NULL,
  request TEXT NOT NULL, -- JSON: system, user, schema
  response TEXT NOT NULL, -- as it was said
  usable INTEGER NOT NULL CHECK (usable IN (0, 1)), -- whether an object of the wanted shape was in it
  prompt_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  cost REAL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX model_calls_by_key ON model_calls (key);
CREATE INDEX model_calls_by_episode ON model_calls (episode_id);

-- the episodes whose words a question quotes beside its own: if one of them is forgotten, the question and its answer go too
CREATE TABLE model_call_quotes (
  call_id INTEGER NOT NULL REFERENCES model_calls (id) ON DELETE CASCADE,
  episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  PRIMARY KEY (call_id, episode_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX model_call_quotes_by_episode ON model_call_quotes (episode_id);

-- names have vectors too
CREATE TABLE passages_2 (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  episode_id INTEGER REFERENCES episodes (id) ON DELETE CASCADE,
  claim_id INTEGER REFERENCES claims (id) ON DELETE CASCADE,
  entity_id INTEGER REFERENCES entities (id) ON DELETE CASCADE,
  CHECK ((episode_id IS NOT NULL) + (claim_id IS NOT NULL) + (entity_id IS NOT NULL) = 1)
) STRICT;
INSERT INTO passages_2 (id, episode_id, claim_id) SELECT id, episode_id, claim_id FROM passages ORDER BY id;
DROP TABLE passages;
ALTER TABLE passages_2 RENAME TO passages;
CREATE INDEX passages_by_episode ON passages (episode_id) WHERE episode_id IS NOT NULL;
CREATE INDEX passages_by_claim ON passages (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX passages_by_entity ON passages (entity_id) WHERE entity_id IS NOT NULL;
