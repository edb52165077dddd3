-- Members who receive the weekly summary of a workspace by email.

-- +goose Up
CREATE TABLE weekly_readers (
    workspace TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    member    TEXT   NOT NULL,
    at        BIGINT NOT NULL,
    week      TEXT   NOT NULL, -- Monday of the last week that was sent or given up
    trying    TEXT   NOT NULL, -- Monday of the week of the counted attempts
    attempts  BIGINT NOT NULL, -- started attempts
    next_at   BIGINT NOT NULL, -- time of the next attempt
    problem   TEXT   NOT NULL, -- problem of the last attempt
    PRIMARY KEY (workspace, member),
    FOREIGN KEY (member, workspace) REFERENCES memberships (user_id, workspace) ON DELETE CASCADE
);
