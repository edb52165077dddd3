-- How many forecasts are judged and when the last ones were is asked with each call that answers from them.

-- +goose Up
CREATE INDEX forecasts_judged ON forecasts (workspace, judged_at);
