-- The days of report rows with a name or campaign that may have changed, by level of the ad account.
{{- range $i, $level := .levels}}{{if $i}};{{end}}
INSERT INTO spend_dirty
SELECT DISTINCT d.day FROM {{named_ad_days}} d
SEMI JOIN (SELECT platform, id FROM {{$.from}} WHERE level = '{{$level}}') n ON n.platform = d.platform AND n.id = d.{{$level}}_id
{{- end}}
