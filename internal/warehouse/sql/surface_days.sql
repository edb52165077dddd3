-- One row per sales surface and day. Days are in the workspace's time zone. Orders are millionths. Empty days have no
-- row.
SELECT
    surface, day, CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
    CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
    CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
    CAST(sum(undated) AS BIGINT) AS sum_undated,
    CAST(sum(CASE WHEN is_new THEN orders ELSE 0 END) AS BIGINT) AS sum_new_orders,
    CAST(sum(units) AS BIGINT) AS sum_units
FROM {{store_days}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
GROUP BY surface, day
ORDER BY surface, day
