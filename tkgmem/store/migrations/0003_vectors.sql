-- Schema 3: vectors in a plain table, on shelves. One is read by its id in a thirtieth of the time that a vec0 table takes.

-- the vectors of one kind, group and script; size, last id and number of removals tell one state from another
CREATE TABLE shelves (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('episode', 'claim', 'entity')),
  group_id INTEGER NOT NULL REFERENCES groups (id),
  language TEXT NOT NULL,
  size INTEGER NOT NULL DEFAULT 0,
  last INTEGER NOT NULL DEFAULT 0,
  removed INTEGER NOT NULL DEFAULT 0,
  framed INTEGER NOT NULL DEFAULT 0, -- how many vectors there were when the frame was made
  frame BLOB, -- how they are compared: the centre, float32; NULL where they are few
  UNIQUE (kind, group_id, language)
) STRICT;

ALTER TABLE passages ADD COLUMN shelf_id INTEGER REFERENCES shelves (id);
ALTER TABLE passages ADD COLUMN signature BLOB; -- of the vector in its shelf's frame, a bit for each sign and size; NULL where they are few
ALTER TABLE passages ADD COLUMN length REAL; -- of the vector in its shelf's frame, before it is scaled to 1
CREATE INDEX passages_by_shelf ON passages (shelf_id);

CREATE TABLE vectors (
  id INTEGER PRIMARY KEY REFERENCES passages (id) ON DELETE CASCADE,
  vector BLOB NOT NULL -- float32, of unit length
) STRICT;

-- the turns of a conversation in the order of telling
CREATE INDEX episodes_by_name ON episodes (group_id, name, reference_time, id, created_at, source);

-- all that a walk needs to know of the facts at an entity, and that a filter by relation needs
CREATE INDEX versions_from ON versions (group_id, source_id, created_at, expired_at, valid_at, invalid_at, fact_id, target_id);
CREATE INDEX versions_to ON versions (group_id, target_id, created_at, expired_at, valid_at, invalid_at, fact_id, source_id);
CREATE INDEX versions_by_relation ON versions (group_id, relation, expired_at, created_at, valid_at, invalid_at, fact_id);

-- whether a question sees a fact, from the index alone
DROP INDEX versions_by_fact;
CREATE INDEX versions_by_fact ON versions (fact_id, group_id, created_at, expired_at, valid_at, invalid_at);

-- statistics of a file that has grown since mislead; the queries name their indexes where it matters
DROP TABLE IF EXISTS sqlite_stat1;
DROP TABLE IF EXISTS sqlite_stat4;
