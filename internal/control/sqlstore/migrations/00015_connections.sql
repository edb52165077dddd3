-- +goose Up
CREATE TABLE connections (
    workspace   TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    platform    TEXT   NOT NULL,
    account     TEXT   NOT NULL,
    sealed      TEXT   NOT NULL, -- hexadecimal
    sandbox     BIGINT NOT NULL, -- 1: a simulated account
    created_at  BIGINT NOT NULL,
    status      TEXT   NOT NULL, -- untested, ok or error
    problem     TEXT   NOT NULL,
    hint        TEXT   NOT NULL,
    tested_at   BIGINT NOT NULL,
    name        TEXT   NOT NULL,
    currency    TEXT   NOT NULL,
    zone        TEXT   NOT NULL,
    expires     BIGINT NOT NULL,
    permissions TEXT   NOT NULL, -- separated by blanks
    PRIMARY KEY (workspace, platform, account)
);
