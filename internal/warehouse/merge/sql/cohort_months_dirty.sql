-- The months that are rebuilt together. The period of in_cohort_months ends 30 days after the first day of the last
-- month, so it may be too long; cohort_days is exact.
CREATE OR REPLACE TEMP TABLE cohort_months_dirty AS
SELECT month FROM cohort_months_wanted WHERE month >= DATE '{{.first}}' AND month <= DATE '{{.last}}';
CREATE OR REPLACE TEMP MACRO in_cohort_months(d) AS (
    d >= DATE '{{.first}}' AND d <= DATE '{{.last}}' + 30
)
