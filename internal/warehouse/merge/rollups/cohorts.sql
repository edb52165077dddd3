-- Active customers in the months of cohort_months_dirty, by month and channel of the first order.
CREATE OR REPLACE TEMP TABLE cohort_days AS
SELECT month, {{each_day "month" "month + INTERVAL 1 MONTH - INTERVAL 1 DAY"}} AS day
FROM cohort_months_dirty;

DELETE FROM {{cohort_months}} WHERE month IN (SELECT month FROM cohort_months_dirty);
INSERT INTO {{cohort_months}}
SELECT n.channel, n.cohort, c.month, c.customers, c.orders
FROM (
    SELECT number, month, count(*) AS customers, sum(orders) AS orders
    FROM (
        SELECT m.id, m.number, d.month, count(*) AS orders
        FROM {{order_rows}} o
        JOIN cohort_days d ON d.day = o.day
        JOIN cohort_members m ON m.customer = o.customer
        WHERE in_cohort_months(o.day) AND o.kind IN (SELECT kind FROM {{order_kinds}} WHERE NOT cancelled AND NOT test)
        GROUP BY m.id, m.number, d.month
    )
    GROUP BY number, month
) c
JOIN cohort_numbers n ON n.number = c.number
ORDER BY c.month, n.channel, n.cohort;
