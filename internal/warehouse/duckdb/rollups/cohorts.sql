-- Who ordered in the months of cohort_months_dirty, by the month and the channel of the first order. Customers are told
-- apart by their numbers.
DELETE FROM {{cohort_months}} WHERE month IN (SELECT month FROM cohort_months_dirty);
INSERT INTO {{cohort_months}}
SELECT channel, cohort, month, count(*), sum(orders)
FROM (
    SELECT min(b.channel) AS channel, CAST(date_trunc('month', min(b.day)) AS DATE) AS cohort, o.month, count(*) AS orders
    FROM (
        SELECT customer, CAST(date_trunc('month', day) AS DATE) AS month
        FROM {{order_rows}}
        WHERE kind IN (SELECT kind FROM {{order_kinds}} WHERE NOT cancelled AND NOT test) AND customer <> ''
            AND day >= (SELECT min(month) FROM cohort_months_dirty)
            AND day < (SELECT max(month) FROM cohort_months_dirty) + INTERVAL 1 MONTH
    ) o
    JOIN {{buyers}} b ON b.customer = o.customer
    WHERE o.month IN (SELECT month FROM cohort_months_dirty)
    GROUP BY b.id, o.month
)
GROUP BY channel, cohort, month
ORDER BY month, channel, cohort;
