-- One row: the orders from a day on, of the workspace's zone. Cancelled and test orders do not count. 0 when none.
SELECT CAST(coalesce(sum(orders), 0) / 1000000 AS BIGINT) AS orders
FROM {{store_days}}
WHERE day >= CAST($first AS DATE)
