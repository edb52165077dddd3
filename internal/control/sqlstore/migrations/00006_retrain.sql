-- +goose Up
ALTER TABLE workspaces ADD COLUMN retrain TEXT NOT NULL DEFAULT 'off'; -- off, weekly or monthly
ALTER TABLE workspaces ADD COLUMN retrain_hour SMALLINT NOT NULL DEFAULT 4; -- 0 to 23, in the workspace's zone
