-- The installation whose secret the nodes of this database use. One row at most; SQLite has none, because the secret is next to
-- its file.

-- +goose Up
CREATE TABLE installation (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL
);
