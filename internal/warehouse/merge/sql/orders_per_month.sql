-- One row per month to rebuild, with its number of orders.
SELECT w.month, count(o.day)
FROM cohort_months_wanted w
LEFT JOIN {{order_rows}} o ON {{month "o.day"}} = w.month
GROUP BY w.month
ORDER BY w.month
