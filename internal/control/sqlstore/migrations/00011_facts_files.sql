-- Which workspaces have a file of facts. One that is missing is then an error and not an empty store. Files of earlier
-- releases are noted when they are opened.

-- +goose Up
ALTER TABLE workspaces ADD COLUMN facts_file SMALLINT NOT NULL DEFAULT 0;
