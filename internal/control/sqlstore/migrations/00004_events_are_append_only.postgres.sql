-- The audit log is append-only for every user of the database. Rows older than 730 days, by the database's own clock,
-- may be removed.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION events_are_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.at < extract(epoch FROM now() - interval '730 days') * 1000000 THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the security log is append-only';
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER events_are_not_changed BEFORE UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION events_are_append_only();
CREATE TRIGGER events_are_not_removed BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION events_are_append_only();
