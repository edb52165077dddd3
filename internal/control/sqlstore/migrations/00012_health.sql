-- One row. The health check writes it, because a read-only database is not ready.

-- +goose Up
CREATE TABLE health (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    checks BIGINT NOT NULL
);
INSERT INTO health (id, checks) VALUES (1, 0);
