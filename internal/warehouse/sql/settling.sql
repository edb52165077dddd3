-- One row per day, part and date on which the part's totals changed: the totals at the end of that date. Dates are in
-- the workspace's time zone. kind is one kind.
SELECT
    h.day AS day, h.part AS part, h.there AS there, h.charged AS sum_charged, h.tax AS sum_tax, h.shipping AS sum_shipping,
    h.refunds AS sum_refunds, h.spend AS sum_spend, h.conversions AS sum_claimed, latest.seen AS seen
FROM {{day_history}} AS h
INNER JOIN (
    SELECT v.day AS day, v.part AS part, u.seen AS seen, max(v.import_id) AS import_id
    FROM {{day_history}} AS v
    INNER JOIN {{imports}} AS u ON u.id = v.import_id
    WHERE v.kind = $kind AND v.day >= CAST($first AS DATE) AND v.day <= CAST($last AS DATE)
    GROUP BY v.day, v.part, u.seen
) AS latest ON latest.day = h.day AND latest.part = h.part AND latest.import_id = h.import_id
WHERE h.kind = $kind
ORDER BY h.part, h.day, h.import_id
