-- The workspaces that have a facts file. For these workspaces, a missing file is an error and not an empty store. Files
-- of earlier releases are recorded when they are opened.

-- +goose Up
ALTER TABLE workspaces ADD COLUMN facts_file SMALLINT NOT NULL DEFAULT 0;
