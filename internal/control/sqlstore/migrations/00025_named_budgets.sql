-- Whether the caller named the budget. A shared budget is changed only if it was named. Earlier rows do not contain this,
-- so their rollbacks are not restricted.

-- +goose Up
ALTER TABLE budget_changes ADD COLUMN budget_named SMALLINT NOT NULL DEFAULT 1;
