-- One row per month of first orders and month of activity, as first days of months in the workspace's time zone: the
-- number of active customers of the cohort. An empty channel selects all; a customer belongs to the channel that last
-- touch credits with the first order. Orders without a customer are in no cohort.
SELECT cohort, month, CAST(sum(customers) AS BIGINT) AS active, CAST(sum(orders) AS BIGINT) AS sum_orders
FROM {{cohort_months}}
WHERE cohort >= CAST($first AS DATE) AND cohort <= CAST($last AS DATE) AND ($channel = '' OR channel = $channel)
GROUP BY cohort, month
ORDER BY cohort, month
