-- One row: the number of customers in the panel, and in the store.
SELECT p.customers AS panel, c.customers AS everybody
FROM (SELECT count(*) AS customers FROM {{panel_customers}}) AS p
CROSS JOIN (
    SELECT CAST(coalesce(sum(customers), 0) AS BIGINT) AS customers
    FROM {{cohort_months}}
    WHERE cohort = month
) AS c
