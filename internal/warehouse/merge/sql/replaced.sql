-- The account days to write: new account days, and account days with differences.
CREATE TEMP TABLE replaced AS
SELECT DISTINCT {{columns "t" .unit}} FROM stage_ad_days t
{{- if .met}}
ANTI JOIN days_before d ON {{same "d" "t" .unit}}
UNION
SELECT {{columns "t" .unit}} FROM differing t
{{- end}};
INSERT INTO spend_dirty SELECT DISTINCT day FROM replaced
