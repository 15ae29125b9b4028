-- Schema 4: what carrying the file about needs. The searched text of a claim can be made again from its row, definitions can be
-- given again as they were, two files' changes of belief may share an instant, and vectors of another model can be made beside
-- those in use.

-- what goes before `fact` where it is searched: the triple in words; NULL where the sentence names both ends
ALTER TABLE claims ADD COLUMN lead TEXT;

-- a definition as it was given (JSON: functional, inverse, aliases); NULL where it is built in, merely used, or follows from another
ALTER TABLE relations ADD COLUMN said TEXT;

-- the ticks of the system clock; files that were merged may have ticked at one instant
CREATE TABLE transactions_2 (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  created_at INTEGER NOT NULL,
  verb TEXT NOT NULL,
  group_id INTEGER REFERENCES groups (id),
  episode_id INTEGER REFERENCES episodes (id) ON DELETE SET NULL,
  reason TEXT
) STRICT;
INSERT INTO transactions_2 (created_at, verb, group_id, episode_id, reason)
SELECT created_at, verb, group_id, episode_id, reason FROM transactions ORDER BY created_at;
DROP TABLE transactions;
ALTER TABLE transactions_2 RENAME TO transactions;
CREATE INDEX transactions_by_time ON transactions (created_at);
CREATE INDEX transactions_by_episode ON transactions (episode_id) WHERE episode_id IS NOT NULL;

-- vectors of the embedder named in meta as next_embedder.*, until there is one for everything and they take the others' place
CREATE TABLE next_vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  episode_id INTEGER REFERENCES episodes (id) ON DELETE CASCADE,
  claim_id INTEGER REFERENCES claims (id) ON DELETE CASCADE,
  entity_id INTEGER REFERENCES entities (id) ON DELETE CASCADE,
  vector BLOB NOT NULL, -- float32, of unit length
  CHECK ((episode_id IS NOT NULL) + (claim_id IS NOT NULL) + (entity_id IS NOT NULL) = 1)
) STRICT;
CREATE INDEX next_vectors_by_episode ON next_vectors (episode_id) WHERE episode_id IS NOT NULL;
CREATE INDEX next_vectors_by_claim ON next_vectors (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX next_vectors_by_entity ON next_vectors (entity_id) WHERE entity_id IS NOT NULL;
