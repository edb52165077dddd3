-- Who ordered in a month, by the month and the channel of the first order.
DELETE FROM {{cohort_months}} WHERE month = (SELECT month FROM cohort_month);
INSERT INTO {{cohort_months}}
SELECT channel, cohort, (SELECT month FROM cohort_month), count(*), sum(orders)
FROM (
    SELECT b.channel, CAST(date_trunc('month', b.day) AS DATE) AS cohort, b.id, count(*) AS orders
    FROM {{orders}} o JOIN {{buyers}} b ON b.customer = o.customer
    WHERE NOT o.cancelled AND NOT o.test AND o.day >= (SELECT month FROM cohort_month)
        AND o.day < (SELECT month FROM cohort_month) + INTERVAL 1 MONTH
    GROUP BY b.channel, b.day, b.customer, b.id
)
GROUP BY channel, cohort
ORDER BY channel, cohort;
