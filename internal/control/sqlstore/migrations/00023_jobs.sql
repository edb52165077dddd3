-- Heavy jobs of workspaces that have not ended. One node at a time has the lease of a job.

-- +goose Up
CREATE TABLE jobs (
    workspace TEXT     NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind      TEXT     NOT NULL,
    actor     TEXT     NOT NULL,
    asked_at  BIGINT   NOT NULL,
    resumes   SMALLINT NOT NULL, -- whether another node resumes the job when the lease has expired
    node      TEXT     NOT NULL, -- node that has the lease
    until     BIGINT   NOT NULL, -- end of the lease; 0: released
    PRIMARY KEY (workspace, kind)
);
