-- The audit log is append-only for every user of the database. Rows older than 730 days, by the database's own clock,
-- may be removed. Triggers differ between databases: name.postgres.sql contains the triggers of PostgreSQL.

-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'the security log is append-only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER events_are_not_removed BEFORE DELETE ON events
WHEN OLD.at >= (CAST(strftime('%s', 'now') AS INTEGER) - 730 * 86400) * 1000000
BEGIN
    SELECT RAISE(ABORT, 'the security log is append-only');
END;
-- +goose StatementEnd

-- INSERT OR REPLACE would remove a row without the trigger above.
-- +goose StatementBegin
CREATE TRIGGER events_are_not_replaced BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the security log is append-only');
END;
-- +goose StatementEnd
