-- Instants are microseconds since 1970 in UTC, 0 where there is none. Truth values are 0 and 1. Lists are words with
-- a blank between. Nothing here is particular to one database.

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
    rate_per_min BIGINT   NOT NULL, -- 0: by the volume of orders
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

-- No reference to workspaces: the log outlives them.
CREATE TABLE events (
    id        TEXT   NOT NULL PRIMARY KEY, -- rises with time
    at        BIGINT NOT NULL,
    workspace TEXT   NOT NULL,
    kind      TEXT   NOT NULL,
    actor     TEXT   NOT NULL,
    subject   TEXT   NOT NULL,
    detail    TEXT   NOT NULL
);

CREATE INDEX events_by_workspace ON events (workspace, id);
