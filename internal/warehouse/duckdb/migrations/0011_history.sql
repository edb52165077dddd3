-- The previous totals of days. The tables contain no personal data.

-- The day of an import in the workspace's time zone, and whether the import is a feed: see warehouse.ImportSpec. The
-- zone of earlier imports is unknown, so their day is in UTC.
ALTER TABLE {{imports}} ADD COLUMN seen DATE;

ALTER TABLE {{imports}} ADD COLUMN feed BOOLEAN;

UPDATE {{imports}} SET seen = CAST(imported_at AS DATE), feed = false;

-- One row per day, part and import that changed the totals. there is false if the import removed the last data. part is
-- the surface of orders and the platform of spend. The totals as of an import are in the latest row up to that import.
-- Orders and conversions are millionths.
CREATE TABLE {{day_history}} (
    import_id BIGINT, day DATE, kind VARCHAR, part VARCHAR, there BOOLEAN, orders BIGINT, charged BIGINT, tax BIGINT,
    shipping BIGINT, discounts BIGINT, refunds BIGINT, undated BIGINT, new_orders BIGINT, units BIGINT, spend BIGINT,
    impressions BIGINT, clicks BIGINT, conversions BIGINT, value BIGINT
);

-- One row per part, day of import and range of days that the import contained completely, changed or not.
CREATE TABLE {{told_days}} (kind VARCHAR, part VARCHAR, seen DATE, first_day DATE, last_day DATE);

-- In a store of an earlier release, the current totals are the first known ones. They are valid from the last import
-- on; earlier totals are unknown.
INSERT INTO {{imports}}
SELECT max(id) + 1, 'update', 'figures as they stood when their history began', '', max(imported_at), NULL, NULL, max(version),
    max(seen), false
FROM {{imports}}
HAVING count(*) > 0;

INSERT INTO {{day_history}}
SELECT i.id, d.day, 'orders', d.surface, true, sum(d.orders), sum(d.charged), sum(d.tax), sum(d.shipping), sum(d.discounts),
    sum(d.refunds), sum(d.undated), sum(CASE WHEN d.is_new THEN d.orders ELSE 0 END), sum(d.units), 0, 0, 0, 0, 0
FROM {{store_days}} AS d
CROSS JOIN (SELECT max(id) AS id FROM {{imports}}) AS i
GROUP BY i.id, d.day, d.surface
ORDER BY d.day, d.surface;

INSERT INTO {{day_history}}
SELECT i.id, d.day, 'spend', d.platform, true, 0, 0, 0, 0, 0, 0, 0, 0, 0, sum(d.spend), sum(d.impressions), sum(d.clicks),
    sum(d.conversions), sum(d.value)
FROM {{spend_days}} AS d
CROSS JOIN (SELECT max(id) AS id FROM {{imports}}) AS i
GROUP BY i.id, d.day, d.platform
ORDER BY d.day, d.platform;
