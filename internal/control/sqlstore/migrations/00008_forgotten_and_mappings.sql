-- Customers of stores who are to leave no trace, as keyed hashes: imports leave them out. And mappings that a workspace
-- keeps, in the words in which they were given.

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
