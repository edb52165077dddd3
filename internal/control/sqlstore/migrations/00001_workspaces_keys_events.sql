-- Instants are microseconds since 1970 in UTC, or 0 if there is none. Booleans are 0 and 1. Lists are words separated
-- by blanks. The statements work on SQLite and PostgreSQL.

-- +goose Up
CREATE TABLE workspaces (
    id           TEXT     NOT NULL PRIMARY KEY,
    name         TEXT     NOT NULL,
    currency     TEXT     NOT NULL,
    zone         TEXT     NOT NULL,
    week_start   SMALLINT NOT NULL, -- 0 is Sunday
    without_tax      SMALLINT NOT NULL,
    without_shipping SMALLINT NOT NULL,
    net_of_refunds   SMALLINT NOT NULL,
    rate_per_min BIGINT   NOT NULL, -- 0: by order volume
    created_at   BIGINT   NOT NULL,
    version      BIGINT   NOT NULL
);

CREATE TABLE api_keys (
    id          TEXT   NOT NULL PRIMARY KEY,
    workspace   TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name        TEXT   NOT NULL,
    hint        TEXT   NOT NULL,
    hash        TEXT   NOT NULL UNIQUE, -- hexadecimal
    scopes      TEXT   NOT NULL,
    tools       TEXT   NOT NULL, -- empty: all tools
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    revoked_at  BIGINT NOT NULL,
    last_used   BIGINT NOT NULL,
    replaced_by TEXT   NOT NULL
);

CREATE INDEX api_keys_by_workspace ON api_keys (workspace, created_at);

-- There is no reference to workspaces, because events remain when their workspace is deleted.
CREATE TABLE events (
    id        TEXT   NOT NULL PRIMARY KEY, -- increases with time
    at        BIGINT NOT NULL,
    workspace TEXT   NOT NULL,
    kind      TEXT   NOT NULL,
    actor     TEXT   NOT NULL,
    subject   TEXT   NOT NULL,
    detail    TEXT   NOT NULL
);

CREATE INDEX events_by_workspace ON events (workspace, id);
