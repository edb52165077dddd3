-- One row per month to rebuild, with its number of orders. Orders are first counted by day, because there are far fewer
-- days than orders.
SELECT w.month, coalesce(o.orders, 0)
FROM cohort_months_wanted w
LEFT JOIN (
    SELECT {{month "day"}} AS month, CAST(sum(orders) AS BIGINT) AS orders
    FROM (SELECT day, count(*) AS orders FROM {{order_rows}} GROUP BY day)
    GROUP BY {{month "day"}}
) o ON o.month = w.month
ORDER BY w.month
