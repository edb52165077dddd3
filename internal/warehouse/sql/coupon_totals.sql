-- One row per window: the totals of all codes, or of one, and the number of codes. An order with two codes is counted
-- once. 0 is the recent window, 1 the earlier one. A window without coupons has no row.
SELECT
    period, count(DISTINCT code) AS codes, CAST(sum(orders) AS BIGINT) AS sum_orders,
    CAST(sum(charged) AS BIGINT) AS sum_charged, CAST(sum(discount) AS BIGINT) AS sum_discount,
    CAST(sum(new_orders) AS BIGINT) AS sum_new_orders
FROM (
    SELECT 0 AS period, NULL AS code, orders, charged, discount, new_orders
    FROM {{coupon_order_days}}
    WHERE $code = '' AND day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    UNION ALL
    SELECT 0, code, CASE WHEN $code = '' THEN 0 ELSE orders END, CASE WHEN $code = '' THEN 0 ELSE charged END,
        CASE WHEN $code = '' THEN 0 ELSE discount END, CASE WHEN $code = '' THEN 0 ELSE new_orders END
    FROM {{coupon_days}}
    WHERE ($code = '' OR code = $code) AND day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    UNION ALL
    SELECT 1, NULL, orders, charged, discount, new_orders
    FROM {{coupon_order_days}}
    WHERE $code = '' AND day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
    UNION ALL
    SELECT 1, code, CASE WHEN $code = '' THEN 0 ELSE orders END, CASE WHEN $code = '' THEN 0 ELSE charged END,
        CASE WHEN $code = '' THEN 0 ELSE discount END, CASE WHEN $code = '' THEN 0 ELSE new_orders END
    FROM {{coupon_days}}
    WHERE ($code = '' OR code = $code) AND day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
) AS parts
GROUP BY period
