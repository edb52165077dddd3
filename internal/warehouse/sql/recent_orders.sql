-- One row: the number of orders since a day of the workspace's time zone, without canceled and test orders.
SELECT CAST(coalesce(sum(orders), 0) / 1000000 AS BIGINT) AS orders
FROM {{store_days}}
WHERE day >= CAST($first AS DATE)
