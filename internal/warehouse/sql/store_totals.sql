-- One row per window: 0 is the recent one, 1 the earlier one. Days are in the workspace's time zone; a window without
-- orders and refunds has no row.
SELECT
    period, CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
    CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
    CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
    CAST(sum(undated) AS BIGINT) AS sum_undated,
    CAST(sum(CASE WHEN is_new THEN orders ELSE 0 END) AS BIGINT) AS sum_new_orders,
    CAST(sum(units) AS BIGINT) AS sum_units
FROM (
    SELECT 0 AS period, orders, charged, tax, shipping, discounts, refunds, undated, is_new, units
    FROM {{store_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    UNION ALL
    SELECT 1 AS period, orders, charged, tax, shipping, discounts, refunds, undated, is_new, units
    FROM {{store_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
) AS days
GROUP BY period
