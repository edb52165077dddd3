-- +goose Up
CREATE TABLE annotations (
    workspace TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    id        TEXT   NOT NULL,
    first_day TEXT   NOT NULL,
    last_day  TEXT   NOT NULL, -- included
    label     TEXT   NOT NULL,
    type      TEXT   NOT NULL,
    author    TEXT   NOT NULL,
    at        BIGINT NOT NULL,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, first_day, last_day, label, type)
);

CREATE TABLE reports (
    workspace TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    id        TEXT   NOT NULL,
    name      TEXT   NOT NULL,
    tool      TEXT   NOT NULL,
    arguments TEXT   NOT NULL, -- a JSON object
    author    TEXT   NOT NULL,
    at        BIGINT NOT NULL,
    PRIMARY KEY (workspace, id),
    UNIQUE (workspace, name)
);

CREATE TABLE dismissed_insights (
    workspace TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    insight   TEXT   NOT NULL,
    reason    TEXT   NOT NULL,
    author    TEXT   NOT NULL,
    at        BIGINT NOT NULL,
    PRIMARY KEY (workspace, insight)
);
