-- One row per number of touches and whole days from the first touch to the order: how many orders took so many and so
-- long. Days are days of the workspace's zone. segment is new, returning or empty for both.
SELECT touches, lag_days, CAST(sum(orders) AS BIGINT) AS sum_orders
FROM {{journey_days}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    AND ($segment = '' OR is_new = ($segment = 'new'))
GROUP BY touches, lag_days
ORDER BY touches, lag_days
