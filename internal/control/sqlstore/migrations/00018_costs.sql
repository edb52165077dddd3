-- +goose Up
ALTER TABLE workspaces ADD COLUMN cost_rules TEXT NOT NULL DEFAULT '[]'; -- a JSON array: margins, fees and shipping costs
