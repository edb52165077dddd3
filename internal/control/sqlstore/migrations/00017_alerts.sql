-- Alert rules, the days that met them, and the messages about these days. Numbers are millionths.

-- +goose Up
CREATE TABLE alerts (
    id        TEXT   NOT NULL PRIMARY KEY,
    workspace TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name      TEXT   NOT NULL,
    metric    TEXT   NOT NULL,
    channel   TEXT   NOT NULL, -- empty: the whole store
    condition TEXT   NOT NULL,
    threshold BIGINT NOT NULL,
    actor     TEXT   NOT NULL,
    at        BIGINT NOT NULL,
    UNIQUE (workspace, metric, channel, condition, threshold)
);

-- An event contains a copy of the rule, so it does not change when the rule is changed or removed.
CREATE TABLE alert_events (
    workspace TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    alert     TEXT   NOT NULL,
    day       TEXT   NOT NULL,
    name      TEXT   NOT NULL,
    metric    TEXT   NOT NULL,
    channel   TEXT   NOT NULL,
    condition TEXT   NOT NULL,
    threshold BIGINT NOT NULL,
    actor     TEXT   NOT NULL,
    at        BIGINT NOT NULL,
    value     BIGINT NOT NULL,
    reference BIGINT, -- NULL: the condition has none
    raised_at BIGINT NOT NULL,
    PRIMARY KEY (workspace, alert, day)
);

CREATE INDEX alert_events_by_day ON alert_events (workspace, day);

CREATE TABLE alert_destinations (
    id        TEXT   NOT NULL PRIMARY KEY,
    workspace TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind      TEXT   NOT NULL, -- webhook or email
    url       TEXT   NOT NULL, -- URL of a webhook
    sealed    TEXT   NOT NULL, -- signing secret of a webhook; hexadecimal
    member    TEXT,            -- member with the email address
    at        BIGINT NOT NULL,
    FOREIGN KEY (member, workspace) REFERENCES memberships (user_id, workspace) ON DELETE CASCADE,
    UNIQUE (workspace, member)
);

CREATE UNIQUE INDEX alert_destinations_by_url ON alert_destinations (workspace, url) WHERE kind = 'webhook';

CREATE TABLE alert_messages (
    id          TEXT   NOT NULL PRIMARY KEY,
    workspace   TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    destination TEXT   NOT NULL REFERENCES alert_destinations (id) ON DELETE CASCADE,
    state       TEXT   NOT NULL, -- waiting, sent or given_up
    attempts    BIGINT NOT NULL, -- started attempts
    next_at     BIGINT NOT NULL, -- time of the next attempt, while the message is waiting
    created_at  BIGINT NOT NULL,
    settled_at  BIGINT NOT NULL, -- 0 while it is waiting
    problem     TEXT   NOT NULL  -- problem of the last attempt
);

CREATE INDEX alert_messages_by_state ON alert_messages (state, next_at);
CREATE INDEX alert_messages_by_workspace ON alert_messages (workspace, created_at);
CREATE INDEX alert_messages_by_destination ON alert_messages (destination);

CREATE TABLE alert_message_events (
    message TEXT NOT NULL REFERENCES alert_messages (id) ON DELETE CASCADE,
    alert   TEXT NOT NULL,
    day     TEXT NOT NULL,
    PRIMARY KEY (message, alert, day)
);
