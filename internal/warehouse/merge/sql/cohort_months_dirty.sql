-- The months that are rebuilt together. No month is longer than 31 days, and cohort_days is exact.
CREATE OR REPLACE TEMP TABLE cohort_months_dirty AS
SELECT month FROM cohort_months_wanted WHERE month >= DATE '{{.first}}' AND month <= DATE '{{.last}}';
CREATE OR REPLACE TEMP MACRO in_cohort_months(d) AS (
    d >= DATE '{{.first}}' AND d <= DATE '{{.last}}' + 30
)
