-- The imported profiles of each customer as one, and with the stored one if it was read.
CREATE OR REPLACE TEMP TABLE stage_profiles AS
{{- if .before}}
{{template "sql/one_profile" "(SELECT *, rowid AS came FROM stage_profiles UNION ALL SELECT *, -1 FROM before_profiles)"}}
{{- else}}
{{template "sql/one_profile" "(SELECT *, rowid AS came FROM stage_profiles)"}}
{{- end}}
