-- +goose Up

-- Plans of experiments, and entered results of studies that ad platforms run. Results of geo experiments are computed
-- from orders.
CREATE TABLE experiments (
    workspace  TEXT     NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    id         TEXT     NOT NULL,
    name       TEXT     NOT NULL,
    hypothesis TEXT     NOT NULL,
    kind       TEXT     NOT NULL,
    channel    TEXT     NOT NULL,
    status     TEXT     NOT NULL,
    treated    TEXT     NOT NULL, -- regions, one per line
    held_out   TEXT     NOT NULL, -- regions, one per line
    first_day  TEXT,              -- NULL: not decided yet
    last_day   TEXT,
    result     DOUBLE PRECISION,  -- incremental return on spend; NULL: not entered
    low        DOUBLE PRECISION,
    high       DOUBLE PRECISION,
    level_pct  SMALLINT,
    applied    SMALLINT NOT NULL,
    created_at BIGINT   NOT NULL,
    changed_at BIGINT   NOT NULL,
    changed_by TEXT     NOT NULL,
    version    BIGINT   NOT NULL,
    PRIMARY KEY (workspace, id)
);
