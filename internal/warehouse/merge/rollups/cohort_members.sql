-- The customers, by channel and month of their first order. Customers and groups are numbered, because grouping by
-- numbers costs less than by texts.
CREATE OR REPLACE TEMP TABLE cohort_numbers AS
SELECT CAST(row_number() OVER () AS INTEGER) AS number, channel, cohort
FROM (SELECT DISTINCT channel, {{month "day"}} AS cohort FROM {{buyers}});

CREATE OR REPLACE TEMP TABLE cohort_members AS
SELECT b.customer, row_number() OVER () AS id, n.number
FROM (SELECT customer, channel, {{month "day"}} AS cohort FROM {{buyers}}) b
JOIN cohort_numbers n ON n.channel = b.channel AND n.cohort = b.cohort;
