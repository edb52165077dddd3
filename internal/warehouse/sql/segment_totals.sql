-- One row per window and segment: first orders of customers, later orders, and orders without a customer (is_new is
-- NULL). 0 is the recent window, 1 the earlier one. Days are in the workspace's time zone. An empty channel selects all;
-- orders belong to channels by last touch.
SELECT
    period, CASE WHEN is_new THEN 'new' WHEN NOT is_new THEN 'returning' ELSE 'unknown' END AS segment,
    CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
    CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
    CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
    CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
    CAST(sum(units) AS BIGINT) AS sum_units
FROM (
    SELECT 0 AS period, is_new, orders, charged, tax, shipping, discounts, refunds, undated, new_orders, units
    FROM {{segment_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
        AND ($channel = '' OR channel = $channel)
    UNION ALL
    SELECT 1, is_new, orders, charged, tax, shipping, discounts, refunds, undated, new_orders, units
    FROM {{segment_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
        AND ($channel = '' OR channel = $channel)
) AS days
GROUP BY period, is_new
ORDER BY period, segment
