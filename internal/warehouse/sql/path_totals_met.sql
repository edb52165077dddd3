-- One row per window: the orders with a channel in the conversion path, and the number of their touchpoints. 0 is the
-- recent window, 1 the earlier one. Days are in the workspace's time zone. segment is new, returning or empty for
-- both; met is the channel between two separators.
SELECT period, CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(touches) AS BIGINT) AS sum_touches
FROM (
    SELECT 0 AS period, orders, touches
    FROM {{path_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
        AND ($segment = '' OR is_new = ($segment = 'new'))
        AND path IN (SELECT path FROM {{path_names}} WHERE position($met IN concat($separator, name, $separator)) > 0)
    UNION ALL
    SELECT 1, orders, touches
    FROM {{path_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
        AND ($segment = '' OR is_new = ($segment = 'new'))
        AND path IN (SELECT path FROM {{path_names}} WHERE position($met IN concat($separator, name, $separator)) > 0)
) AS days
GROUP BY period
ORDER BY period
