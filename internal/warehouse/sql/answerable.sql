-- One row: the orders, in millionths, on surfaces with any answer. Days are in the workspace's time zone.
SELECT CAST(coalesce(sum(orders), 0) AS BIGINT) AS sum_orders
FROM {{store_days}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    AND surface IN (
        SELECT surface
        FROM {{answer_days}}
        WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE) AND known
        GROUP BY surface
    )
