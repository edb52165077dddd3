-- Secrets are not stored: sessions, requests, codes and refresh tokens are stored as SHA-256 in hexadecimal. Rows of a
-- person or a workspace are deleted with the person or the workspace.

-- +goose Up
CREATE TABLE users (
    id         TEXT   NOT NULL PRIMARY KEY,
    email      TEXT   NOT NULL UNIQUE, -- in lower case
    password   TEXT   NOT NULL, -- hash in PHC form
    created_at BIGINT NOT NULL
);

CREATE TABLE memberships (
    user_id   TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    workspace TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    role      TEXT   NOT NULL,
    since     BIGINT NOT NULL,
    PRIMARY KEY (user_id, workspace)
);

CREATE INDEX memberships_by_workspace ON memberships (workspace);

CREATE TABLE sessions (
    hash       TEXT   NOT NULL PRIMARY KEY,
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL
);

CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE oauth_clients (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    redirects  TEXT   NOT NULL, -- separated by line ends
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL
);

CREATE TABLE oauth_requests (
    hash        TEXT     NOT NULL PRIMARY KEY,
    session     TEXT     NOT NULL REFERENCES sessions (hash) ON DELETE CASCADE,
    user_id     TEXT     NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client      TEXT     NOT NULL,
    client_name TEXT     NOT NULL,
    redirect    TEXT     NOT NULL,
    scopes      TEXT     NOT NULL,
    state       TEXT     NOT NULL,
    has_state   SMALLINT NOT NULL,
    challenge   TEXT     NOT NULL,
    expires_at  BIGINT   NOT NULL,
    decided_at  BIGINT   NOT NULL
);

CREATE INDEX oauth_requests_by_session ON oauth_requests (session);

-- There is no reference to clients, because a client with a metadata document has no row there.
CREATE TABLE oauth_grants (
    id          TEXT   NOT NULL PRIMARY KEY,
    user_id     TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    workspace   TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    client      TEXT   NOT NULL,
    client_name TEXT   NOT NULL,
    redirect    TEXT   NOT NULL,
    scopes      TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    ends_at     BIGINT NOT NULL,
    used_at     BIGINT NOT NULL,
    revoked_at  BIGINT NOT NULL
);

CREATE INDEX oauth_grants_by_workspace ON oauth_grants (workspace, created_at);
CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id);

CREATE TABLE oauth_codes (
    hash       TEXT   NOT NULL PRIMARY KEY,
    grant_id   TEXT   NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
    redirect   TEXT   NOT NULL,
    challenge  TEXT   NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL
);

CREATE INDEX oauth_codes_by_grant ON oauth_codes (grant_id);

CREATE TABLE oauth_refresh_tokens (
    hash       TEXT   NOT NULL PRIMARY KEY,
    grant_id   TEXT   NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    successor  TEXT   NOT NULL -- hash; empty while unused
);

CREATE INDEX oauth_refresh_tokens_by_grant ON oauth_refresh_tokens (grant_id);

-- This index finds the creator of a key, which only the audit log contains.
CREATE INDEX events_by_actor ON events (actor, kind);
