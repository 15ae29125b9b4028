-- Schema 5: what explaining and taking back need. Instants are written as in schema 1.

-- stretches of system time in which a row was not believed, after which it was again: what an undo took back and another one
-- brought back. What is not believed now has its expired_at, as ever, and no stretch for that
CREATE TABLE gaps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  claim_id INTEGER REFERENCES claims (id) ON DELETE CASCADE,
  episode_id INTEGER REFERENCES episodes (id) ON DELETE CASCADE,
  alias_id INTEGER REFERENCES aliases (id) ON DELETE CASCADE,
  trait_id INTEGER REFERENCES traits (id) ON DELETE CASCADE,
  merge_id INTEGER REFERENCES merges (id) ON DELETE CASCADE,
  move_id INTEGER REFERENCES moves (id) ON DELETE CASCADE,
  conflict_id INTEGER REFERENCES conflicts (id) ON DELETE CASCADE,
  by_episode_id INTEGER REFERENCES episodes (id) ON DELETE CASCADE, -- of a claim: the source of the correction that had closed it
  replaced_by_id INTEGER REFERENCES claims (id) ON DELETE CASCADE, -- of a claim: the one that had taken its place
  created_at INTEGER NOT NULL,
  expired_at INTEGER NOT NULL,
  CHECK (
    (claim_id IS NOT NULL) + (episode_id IS NOT NULL) + (alias_id IS NOT NULL) + (trait_id IS NOT NULL)
    + (merge_id IS NOT NULL) + (move_id IS NOT NULL) + (conflict_id IS NOT NULL) = 1
  )
) STRICT;
CREATE INDEX gaps_by_claim ON gaps (claim_id, created_at, expired_at) WHERE claim_id IS NOT NULL;
CREATE INDEX gaps_by_episode ON gaps (episode_id, created_at, expired_at) WHERE episode_id IS NOT NULL;
CREATE INDEX gaps_by_alias ON gaps (alias_id, created_at, expired_at) WHERE alias_id IS NOT NULL;
CREATE INDEX gaps_by_trait ON gaps (trait_id, created_at, expired_at) WHERE trait_id IS NOT NULL;
CREATE INDEX gaps_by_merge ON gaps (merge_id, created_at, expired_at) WHERE merge_id IS NOT NULL;
CREATE INDEX gaps_by_move ON gaps (move_id, created_at, expired_at) WHERE move_id IS NOT NULL;
CREATE INDEX gaps_by_conflict ON gaps (conflict_id, created_at, expired_at) WHERE conflict_id IS NOT NULL;
CREATE INDEX gaps_by_source ON gaps (by_episode_id) WHERE by_episode_id IS NOT NULL;
CREATE INDEX gaps_by_successor ON gaps (replaced_by_id) WHERE replaced_by_id IS NOT NULL;
CREATE INDEX gaps_by_return ON gaps (expired_at, created_at);

-- since when a text is taken back
ALTER TABLE episodes ADD COLUMN expired_at INTEGER;
DROP INDEX episodes_by_system_time;
CREATE INDEX episodes_by_system_time ON episodes (group_id, created_at, expired_at);

-- of many things: how many (JSON); of an import also which rows it brought, so that it can be taken back. It stays in this file
ALTER TABLE transactions ADD COLUMN detail TEXT;

-- what the memory was asked and what it gave (rows, best first, JSON): the last ones
CREATE TABLE recalls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('search', 'context')),
  query TEXT NOT NULL,
  group_ids TEXT NOT NULL,
  valid_at INTEGER NOT NULL,
  known_at INTEGER NOT NULL, -- everything recorded up to it was seen
  options TEXT NOT NULL DEFAULT '{}',
  facts TEXT NOT NULL DEFAULT '[]',
  entities TEXT NOT NULL DEFAULT '[]',
  episodes TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX recalls_by_time ON recalls (created_at);
