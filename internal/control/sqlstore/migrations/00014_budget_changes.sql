-- Changes on ad platforms. A pending row is a claim: two processes never change one campaign, or one shared budget, at
-- the same time. A value is a budget in platform units as text, with its amount in minor units, or a status.

-- +goose Up
CREATE TABLE budget_changes (
    id              TEXT   NOT NULL PRIMARY KEY,
    workspace       TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    at              BIGINT NOT NULL,
    platform        TEXT   NOT NULL,
    account         TEXT   NOT NULL,
    campaign        TEXT   NOT NULL,
    campaign_name   TEXT   NOT NULL,
    budget          TEXT   NOT NULL, -- name of the budget on the platform; empty: not a separate object
    field           TEXT   NOT NULL, -- daily_budget or status
    currency        TEXT   NOT NULL, -- currency of the amounts; empty for a status
    previous_value  TEXT   NOT NULL,
    previous_minor  BIGINT NOT NULL,
    new_value       TEXT   NOT NULL,
    new_minor       BIGINT NOT NULL,
    live_value      TEXT   NOT NULL, -- empty: not read after the change
    live_minor      BIGINT NOT NULL,
    status          TEXT   NOT NULL,
    actor           TEXT   NOT NULL,
    reason          TEXT   NOT NULL,
    rejection       TEXT   NOT NULL,
    problem         TEXT   NOT NULL,
    request_id      TEXT   NOT NULL,
    deadline        BIGINT NOT NULL,
    rolls_back      TEXT   NOT NULL,
    rolled_back_by  TEXT   NOT NULL,
    approved_by     TEXT   NOT NULL,
    settled_at      BIGINT NOT NULL,
    effect          TEXT   NOT NULL -- JSON; empty: no estimate
);

CREATE INDEX budget_changes_by_workspace ON budget_changes (workspace, at);
CREATE INDEX budget_changes_by_campaign ON budget_changes (workspace, platform, account, campaign, at);
CREATE INDEX budget_changes_by_status ON budget_changes (status, at);
CREATE UNIQUE INDEX budget_changes_open ON budget_changes (workspace, platform, account, campaign) WHERE status = 'pending';
CREATE UNIQUE INDEX budget_changes_open_budget ON budget_changes (workspace, platform, account, budget)
    WHERE status = 'pending' AND budget <> '' AND field = 'daily_budget';

-- Previews that callers have seen, for workspaces in which a change needs a preview. They are removed after a while.
CREATE TABLE budget_previews (
    workspace TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    actor     TEXT   NOT NULL,
    platform  TEXT   NOT NULL,
    account   TEXT   NOT NULL,
    campaign  TEXT   NOT NULL,
    field     TEXT   NOT NULL,
    new_value TEXT   NOT NULL,
    at        BIGINT NOT NULL,
    PRIMARY KEY (workspace, actor, platform, account, campaign, field, new_value)
);

-- A workspace without a row has the guardrails of a new workspace. Amounts are minor units, 0 for no limit.
CREATE TABLE guardrails (
    workspace     TEXT     NOT NULL PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    step_pct      DOUBLE PRECISION NOT NULL,
    currency      TEXT     NOT NULL, -- currency of the amounts
    floor         BIGINT   NOT NULL,
    ceiling       BIGINT   NOT NULL,
    approve_above BIGINT   NOT NULL,
    per_hour      INTEGER  NOT NULL,
    per_day       INTEGER  NOT NULL,
    from_hour     SMALLINT NOT NULL, -- both 0: all hours
    to_hour       SMALLINT NOT NULL,
    stop          SMALLINT NOT NULL,
    preview_first SMALLINT NOT NULL,
    version       BIGINT   NOT NULL
);
