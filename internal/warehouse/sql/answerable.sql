-- One row: the orders, in millionths, on the surfaces on which anybody answered. Days are days of the workspace's zone.
SELECT CAST(coalesce(sum(orders), 0) AS BIGINT) AS sum_orders
FROM {{store_days}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    AND surface IN (
        SELECT surface
        FROM {{answer_days}}
        WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE) AND known
        GROUP BY surface
    )
