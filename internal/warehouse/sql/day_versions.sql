-- One row per day, part and import that changed the part's totals, in the order of imports. A part is a sales surface
-- or an ad platform. Days are in the workspace's time zone, instants in UTC. there is false if the part was removed.
SELECT
    h.day AS day, h.kind AS kind, h.part AS part, h.there AS there, h.orders AS sum_orders, h.charged AS sum_charged,
    h.tax AS sum_tax, h.shipping AS sum_shipping, h.discounts AS sum_discounts, h.refunds AS sum_refunds,
    h.undated AS sum_undated, h.new_orders AS sum_new_orders, h.units AS sum_units, h.spend AS sum_spend,
    h.impressions AS sum_impressions, h.clicks AS sum_clicks, h.conversions AS sum_claimed, h.value AS claimed_value,
    i.id AS id, i.imported_at AS imported_at, i.seen AS seen, i.source AS source, i.file AS file
FROM {{day_history}} AS h
INNER JOIN {{imports}} AS i ON i.id = h.import_id
WHERE h.day >= CAST($first AS DATE) AND h.day <= CAST($last AS DATE)
ORDER BY h.kind, h.part, h.day, h.import_id
