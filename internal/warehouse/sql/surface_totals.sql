-- One row per window and sales surface. 0 is the recent window, 1 the earlier one. Days are in the workspace's time
-- zone. Orders are millionths. Surfaces without data have no row.
SELECT
    period, surface, CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
    CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
    CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
    CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
    CAST(sum(units) AS BIGINT) AS sum_units
FROM (
    SELECT 0 AS period, surface, orders, charged, tax, shipping, discounts, refunds, undated,
        CASE WHEN is_new THEN orders ELSE 0 END AS new_orders, units
    FROM {{store_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    UNION ALL
    SELECT 1, surface, orders, charged, tax, shipping, discounts, refunds, undated,
        CASE WHEN is_new THEN orders ELSE 0 END AS new_orders, units
    FROM {{store_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
) AS days
GROUP BY period, surface
ORDER BY period, surface
