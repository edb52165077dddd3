-- One row per coupon code used in the window. Days are the orders' days in the workspace's time zone. channel and
-- creator are '' if the code is not mapped. An order with two codes is in both rows.
SELECT
    u.code AS code, coalesce(m.channel, '') AS channel, coalesce(m.creator, '') AS creator,
    u.sum_orders AS orders, u.sum_charged AS charged, u.sum_discount AS discount, u.sum_new_orders AS new_orders
FROM (
    SELECT
        code, CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
        CAST(sum(discount) AS BIGINT) AS sum_discount, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders
    FROM {{coupon_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
        AND ($code = '' OR code = $code)
    GROUP BY code
) AS u
LEFT JOIN {{coupon_channels}} AS m ON m.code = u.code
ORDER BY u.sum_charged DESC, u.code
LIMIT $limit OFFSET $offset
