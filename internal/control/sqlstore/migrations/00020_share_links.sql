-- Read-only links to one page. The secret of a link is not stored.

-- +goose Up
CREATE TABLE share_links (
    id         TEXT   PRIMARY KEY,
    hash       TEXT   NOT NULL UNIQUE, -- hexadecimal
    workspace  TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    page       TEXT   NOT NULL,
    query      TEXT   NOT NULL,
    made_by    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    last_used  BIGINT NOT NULL -- 0: never
);
CREATE INDEX share_links_of_workspace ON share_links (workspace);
