-- One row per day and part with data at an instant: the totals at that instant. Days are in the workspace's time
-- zone, instants in UTC. Days without data at the instant have no row.
SELECT
    h.day AS day, h.kind AS kind, h.part AS part, h.there AS there, h.orders AS sum_orders, h.charged AS sum_charged,
    h.tax AS sum_tax, h.shipping AS sum_shipping, h.discounts AS sum_discounts, h.refunds AS sum_refunds,
    h.undated AS sum_undated, h.new_orders AS sum_new_orders, h.units AS sum_units, h.spend AS sum_spend,
    h.impressions AS sum_impressions, h.clicks AS sum_clicks, h.conversions AS sum_claimed, h.value AS claimed_value,
    i.id AS id, i.imported_at AS imported_at, i.seen AS seen, i.source AS source, i.file AS file
FROM {{day_history}} AS h
INNER JOIN (
    SELECT v.day AS day, v.kind AS kind, v.part AS part, max(v.import_id) AS import_id
    FROM {{day_history}} AS v
    INNER JOIN {{imports}} AS u ON u.id = v.import_id
    WHERE v.day >= CAST($first AS DATE) AND v.day <= CAST($last AS DATE) AND u.imported_at <= CAST($at AS TIMESTAMP)
    GROUP BY v.day, v.kind, v.part
) AS latest ON latest.day = h.day AND latest.kind = h.kind AND latest.part = h.part AND latest.import_id = h.import_id
INNER JOIN {{imports}} AS i ON i.id = h.import_id
WHERE h.there
ORDER BY h.kind, h.part, h.day
