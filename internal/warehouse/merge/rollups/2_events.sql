-- The events of the slice: each order on its day, and each refund on the day of the refund. Orders are millionths.
-- is_new is NULL for orders without a customer. Rows of orders join these events; totals that every store has are
-- computed without joins.
CREATE OR REPLACE TEMP TABLE slice_events AS
SELECT k.source, o.key, o.day, k.surface, k.channel, CASE WHEN o.customer <> '' THEN c.key IS NOT NULL END AS is_new,
    CAST(1000000 AS BIGINT) AS orders, o.charged, o.tax, o.shipping, o.discounts,
    CAST(0 AS BIGINT) AS refunds, CAST(0 AS BIGINT) AS undated,
    CAST(CASE WHEN c.key IS NOT NULL THEN 1000000 ELSE 0 END AS BIGINT) AS new_orders, o.units
FROM {{order_rows}} o
JOIN {{order_kinds}} k ON k.kind = o.kind
LEFT JOIN (SELECT kind, key FROM {{customers}} WHERE in_slice(day)) c
    ON c.kind = o.kind AND c.key = o.key
WHERE NOT k.cancelled AND NOT k.test AND in_slice(o.day)
UNION ALL
SELECT source, key, day, surface, channel, is_new, 0, 0, 0, 0, 0, refunds, undated, 0, 0
FROM slice_refunds;

-- Constants, so the database skips blocks of touches, lines and coupons of other orders.
SET VARIABLE first_event = (SELECT min(key) FROM slice_events);
SET VARIABLE last_event = (SELECT max(key) FROM slice_events);
