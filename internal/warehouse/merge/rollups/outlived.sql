-- The history rows that this import replaces: rows of its days that a feed wrote within the hour.
CREATE TEMP TABLE outlived AS
SELECT l.import_id, l.day, l.kind, l.part
FROM latest_versions l
SEMI JOIN changed_versions c ON c.day = l.day AND c.kind = l.kind AND c.part = l.part
JOIN {{imports}} i ON i.id = l.import_id
JOIN {{imports}} own ON own.id = (SELECT max(id) FROM {{imports}})
WHERE i.feed AND date_trunc('hour', i.imported_at) = date_trunc('hour', own.imported_at);
