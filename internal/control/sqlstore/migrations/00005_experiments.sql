-- +goose Up

-- What was planned and, of studies that ad platforms run, found. What a test by region found is computed from orders.
CREATE TABLE experiments (
    workspace  TEXT     NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    id         TEXT     NOT NULL,
    name       TEXT     NOT NULL,
    hypothesis TEXT     NOT NULL,
    kind       TEXT     NOT NULL,
    channel    TEXT     NOT NULL,
    status     TEXT     NOT NULL,
    treated    TEXT     NOT NULL, -- regions, one a line
    held_out   TEXT     NOT NULL, -- regions, one a line
    first_day  TEXT,              -- NULL: not settled yet
    last_day   TEXT,
    result     DOUBLE PRECISION,  -- incremental return on spend; NULL: none was entered
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
