-- Fencing tokens of the last locks on imports. A row stays when its workspace is deleted, because the ledger of commits in
-- ClickHouse stays too. With facts in DuckDB, the table is empty.

-- +goose Up
CREATE TABLE import_tokens (
    workspace TEXT   NOT NULL PRIMARY KEY,
    token     BIGINT NOT NULL
);
