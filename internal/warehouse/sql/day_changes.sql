-- One row per changed day and part with its first visible totals, and one with the current ones. A change is included
-- if it was made after the day ended or first had data. The newest days are first. changes is the number of changes.
SELECT
    h.day AS day, h.kind AS kind, h.part AS part, h.there AS there, h.orders AS sum_orders, h.charged AS sum_charged,
    h.tax AS sum_tax, h.shipping AS sum_shipping, h.discounts AS sum_discounts, h.refunds AS sum_refunds,
    h.undated AS sum_undated, h.new_orders AS sum_new_orders, h.units AS sum_units, h.spend AS sum_spend,
    h.impressions AS sum_impressions, h.clicks AS sum_clicks, h.conversions AS sum_claimed, h.value AS claimed_value,
    i.id AS id, i.imported_at AS imported_at, i.seen AS seen, i.source AS source, i.file AS file,
    c.changes AS changes
FROM (
    SELECT s.day AS day, s.kind AS kind, s.part AS part, s.import_id AS first_id, max(h.import_id) AS last_id,
        count(*) AS changes
    FROM (
        SELECT v.day AS day, v.kind AS kind, v.part AS part,
            coalesce(max(CASE WHEN u.seen <= v.day THEN v.import_id ELSE NULL END), min(v.import_id)) AS import_id
        FROM {{day_history}} AS v
        INNER JOIN {{imports}} AS u ON u.id = v.import_id
        GROUP BY v.day, v.kind, v.part
    ) AS s
    INNER JOIN {{day_history}} AS h ON h.day = s.day AND h.kind = s.kind AND h.part = s.part
    WHERE h.import_id > s.import_id
    GROUP BY s.day, s.kind, s.part, s.import_id
    ORDER BY s.day DESC, s.kind, s.part
    LIMIT $limit OFFSET $offset
) AS c
INNER JOIN {{day_history}} AS h ON h.day = c.day AND h.kind = c.kind AND h.part = c.part
INNER JOIN {{imports}} AS i ON i.id = h.import_id
WHERE h.import_id = c.first_id OR h.import_id = c.last_id
ORDER BY h.day DESC, h.kind, h.part, h.import_id
