-- One row per month of first orders and month of activity, both named by their first day in the workspace's zone: how
-- many customers of the cohort ordered in the month. An empty channel selects all; a customer belongs to the channel
-- that last touch credits with the first order. Orders without a customer are in no cohort.
SELECT cohort, month, CAST(sum(customers) AS BIGINT) AS active, CAST(sum(orders) AS BIGINT) AS sum_orders
FROM {{cohort_months}}
WHERE cohort >= CAST($first AS DATE) AND cohort <= CAST($last AS DATE) AND ($channel = '' OR channel = $channel)
GROUP BY cohort, month
ORDER BY cohort, month
