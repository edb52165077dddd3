-- Forecasts of a metric over some days and, after these days, the actual values. If a forecast is made twice on a day,
-- the first one is stored.

-- +goose Up
CREATE TABLE forecasts (
    workspace    TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    metric       TEXT   NOT NULL,
    channel      TEXT   NOT NULL, -- empty: the whole store
    made         TEXT   NOT NULL, -- day
    first_day    TEXT   NOT NULL,
    last_day     TEXT   NOT NULL,
    points       BIGINT NOT NULL, -- days from the first to the last
    median       DOUBLE PRECISION NOT NULL,
    low80        DOUBLE PRECISION NOT NULL,
    high80       DOUBLE PRECISION NOT NULL,
    low90        DOUBLE PRECISION NOT NULL,
    high90       DOUBLE PRECISION NOT NULL,
    low95        DOUBLE PRECISION NOT NULL,
    high95       DOUBLE PRECISION NOT NULL,
    method       TEXT   NOT NULL,
    data_version BIGINT NOT NULL,
    occasion     TEXT   NOT NULL, -- daily, answer or afterwards
    at           BIGINT NOT NULL, -- microseconds
    judged_at    BIGINT,          -- NULL: the days have not ended
    judged_data  BIGINT,
    actual       DOUBLE PRECISION,
    error        DOUBLE PRECISION,
    inside80     SMALLINT,
    inside90     SMALLINT,
    inside95     SMALLINT,
    pinball      DOUBLE PRECISION,
    mase         DOUBLE PRECISION, -- NULL: no scale to compare with
    PRIMARY KEY (workspace, metric, channel, made, first_day, last_day)
);
