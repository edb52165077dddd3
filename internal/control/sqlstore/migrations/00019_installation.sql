-- The installation that the nodes of this database belong to; they use its secret. The table has at most one row. It is
-- empty in SQLite, because the secret is next to the file.

-- +goose Up
CREATE TABLE installation (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL
);
