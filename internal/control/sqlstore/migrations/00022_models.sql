-- Trained models, one row per workspace. A new training replaces the row.

-- +goose Up
CREATE TABLE models (
    workspace  TEXT   PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    version    BIGINT NOT NULL, -- version of the last training, including rejected trainings
    trained_at BIGINT NOT NULL, -- time at which the last training ended
    body       TEXT   NOT NULL  -- the models as JSON; last, because it is large and rarely read
);
