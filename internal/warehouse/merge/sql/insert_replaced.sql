-- The rows of the account days to write.
INSERT INTO {{ad_days}}
SELECT t.* FROM stage_ad_days t SEMI JOIN replaced r ON {{same "r" "t" .unit}}
{{- if .unsorted}}
ORDER BY t.day, t.platform, t.account, t.campaign_id
{{- end}}
