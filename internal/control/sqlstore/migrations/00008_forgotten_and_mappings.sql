-- Forgotten customers of stores, as keyed hashes; imports exclude them. Mappings of workspaces, as entered.

-- +goose Up
CREATE TABLE forgotten_customers (
    workspace TEXT NOT NULL,
    customer  TEXT NOT NULL,
    at        BIGINT NOT NULL, -- microseconds
    PRIMARY KEY (workspace, customer)
);

CREATE TABLE mappings (
    workspace TEXT NOT NULL,
    name      TEXT NOT NULL,
    content   TEXT NOT NULL,
    at        BIGINT NOT NULL, -- microseconds
    PRIMARY KEY (workspace, name)
);
