-- One row per window and conversion path: the channels of the touchpoints before the order, oldest first, separated by
-- the character 31. 0 is the recent window, 1 the earlier one. Days are in the workspace's time zone. Refunds are dated
-- by their own day. segment is new, returning or empty for both.
SELECT
    s.period, n.name AS path, s.sum_orders, s.sum_charged, s.sum_tax, s.sum_shipping, s.sum_discounts, s.sum_refunds,
    s.sum_undated, s.sum_new_orders, s.sum_units, s.sum_touches, s.sum_seconds
FROM (
    SELECT
        period, path,
        CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
        CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
        CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
        CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
        CAST(sum(units) AS BIGINT) AS sum_units,
        CAST(sum(touches) AS BIGINT) AS sum_touches, CAST(sum(seconds) AS BIGINT) AS sum_seconds
    FROM (
        SELECT 0 AS period, path, orders, charged, tax, shipping, discounts, refunds, undated, new_orders, units, touches,
            seconds
        FROM {{path_days}}
        WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
            AND ($segment = '' OR is_new = ($segment = 'new'))
        UNION ALL
        SELECT 1, path, orders, charged, tax, shipping, discounts, refunds, undated, new_orders, units, touches, seconds
        FROM {{path_days}}
        WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
            AND ($segment = '' OR is_new = ($segment = 'new'))
    ) AS days
    GROUP BY period, path
) AS s
INNER JOIN {{path_names}} AS n ON n.path = s.path
ORDER BY s.period, n.name
