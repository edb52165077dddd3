-- +goose Up
CREATE TABLE hook_secrets (
    id         TEXT   NOT NULL PRIMARY KEY,
    workspace  TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    shop       TEXT   NOT NULL, -- empty: any
    sealed     TEXT   NOT NULL, -- hexadecimal
    created_at BIGINT NOT NULL
);

CREATE INDEX hook_secrets_by_workspace ON hook_secrets (workspace, created_at);

-- One row per message. The body is emptied after the message was imported. The row remains, so that a repeated message
-- is recognized.
CREATE TABLE deliveries (
    workspace TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    id        TEXT   NOT NULL,
    topic     TEXT   NOT NULL,
    sent_at   BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    body      TEXT   NOT NULL,
    state     TEXT   NOT NULL, -- waiting, done or unusable
    problem   TEXT   NOT NULL,
    PRIMARY KEY (workspace, id)
);

CREATE INDEX deliveries_by_state ON deliveries (state, at);
