-- The months in which the activity of a cohort may have changed. They include the months of changed days. They also
-- include all months with orders of customers with a first order on a changed day, because the first order may have
-- moved or changed its channel.
CREATE OR REPLACE TEMP TABLE cohort_months_wanted AS
SELECT DISTINCT {{month "day"}} AS month
FROM (
    SELECT day FROM dirty
{{- if not .fresh}}
    UNION ALL
    SELECT DISTINCT o.day
    FROM {{order_rows}} o
    SEMI JOIN (SELECT customer FROM {{buyers}} WHERE day IN (SELECT day FROM dirty)) b ON b.customer = o.customer
{{- end}}
)
