-- Each call that uses forecasts reads the number of evaluated forecasts and the time of the last evaluation.

-- +goose Up
CREATE INDEX forecasts_judged ON forecasts (workspace, judged_at);
