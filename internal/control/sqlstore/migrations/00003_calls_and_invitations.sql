-- +goose Up
ALTER TABLE workspaces ADD COLUMN log_arguments SMALLINT NOT NULL DEFAULT 0;

ALTER TABLE sessions ADD COLUMN browser TEXT NOT NULL DEFAULT ''; -- name that the browser reports

-- The link's secret is stored as SHA-256 in hexadecimal. An invitation is deleted with its author.
CREATE TABLE invitations (
    id         TEXT   NOT NULL PRIMARY KEY,
    hash       TEXT   NOT NULL UNIQUE,
    workspace  TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    email      TEXT   NOT NULL, -- in lower case
    role       TEXT   NOT NULL,
    invited_by TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX invitations_by_workspace ON invitations (workspace, created_at);

-- One row per tools/call. There is no reference to workspaces, because rows are written in batches, some after their
-- workspace was deleted.
CREATE TABLE calls (
    workspace   TEXT   NOT NULL,
    id          TEXT   NOT NULL, -- increases with time
    at          BIGINT NOT NULL,
    tool        TEXT   NOT NULL,
    status      TEXT   NOT NULL,
    micros      BIGINT NOT NULL, -- duration from the call to its answer
    bytes       BIGINT NOT NULL, -- size of the answer
    actor       TEXT   NOT NULL, -- "key:ID" or "user:ID"
    client      TEXT   NOT NULL, -- client ID of an OAuth caller; empty for a key
    client_name TEXT   NOT NULL,
    arguments   TEXT   NOT NULL, -- empty unless the workspace stores them
    PRIMARY KEY (workspace, id)
);
