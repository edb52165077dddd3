-- The day of the last order, for an event of a day that is assumed to be complete. NULL: the day is complete.

-- +goose Up
ALTER TABLE alert_events ADD COLUMN last_order TEXT;
