-- The stored rows of the report's accounts and days. The ends of the period are constants, so the database skips blocks
-- of other days.
CREATE TEMP TABLE before_ad_days AS
SELECT t.* FROM {{ad_days}} t SEMI JOIN window_days w ON {{same "w" "t" .unit}}
WHERE {{if .first}}t.day >= DATE '{{.first}}' AND t.day <= DATE '{{.last}}'{{else}}false{{end}};
CREATE TEMP TABLE days_before AS SELECT DISTINCT {{columns "t" .unit}} FROM before_ad_days t
