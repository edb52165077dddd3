-- One row per number of touchpoints and whole days from the first touchpoint to the order: the number of orders. Days
-- are in the workspace's time zone. segment is new, returning or empty for both.
SELECT touches, lag_days, CAST(sum(orders) AS BIGINT) AS sum_orders
FROM {{journey_days}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    AND ($segment = '' OR is_new = ($segment = 'new'))
GROUP BY touches, lag_days
ORDER BY touches, lag_days
