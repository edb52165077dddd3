-- One row per channel and segment: the orders that last touch credits to the channel. is_new is NULL for orders without
-- a customer. Days are in the workspace's time zone.
SELECT
    channel, CASE WHEN is_new THEN 'new' WHEN NOT is_new THEN 'returning' ELSE 'unknown' END AS segment,
    CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
    CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
    CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
    CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
    CAST(sum(units) AS BIGINT) AS sum_units
FROM {{segment_days}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
GROUP BY channel, is_new
ORDER BY channel, segment
