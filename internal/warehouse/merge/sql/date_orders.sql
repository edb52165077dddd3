-- An order has the latest date of all its versions. A dropped version passes on its date, but it is removed from
-- imported_orders, so its rows are ignored.
CREATE TEMP TABLE dated AS
SELECT b.* REPLACE (s.updated_at AS updated_at)
FROM before_orders b
JOIN stage_orders s ON s.source = b.source AND s.key = b.key
SEMI JOIN stale o ON o.source = b.source AND o.key = b.key
WHERE b.updated_at IS NULL AND s.updated_at IS NOT NULL;

DELETE FROM stage_orders s USING stale o WHERE o.source = s.source AND o.key = s.key;
DELETE FROM before_orders b USING stale o
WHERE o.source = b.source AND o.key = b.key
    AND NOT EXISTS (SELECT 1 FROM dated d WHERE d.source = b.source AND d.key = b.key);
INSERT INTO stage_orders SELECT * FROM dated;

UPDATE stage_orders s SET updated_at = b.updated_at FROM before_orders b
WHERE b.source = s.source AND b.key = s.key AND b.updated_at IS NOT NULL
    AND (s.updated_at IS NULL OR s.updated_at < b.updated_at);

-- Orders that are imported without lines keep their stored number of units.
UPDATE stage_orders s SET units = b.units FROM before_orders b
WHERE b.source = s.source AND b.key = s.key AND s.units = 0 AND b.units <> 0
