-- One profile per customer, joined from the imported profiles and, if it was read, the stored profile.
CREATE OR REPLACE TEMP TABLE stage_profiles AS
{{- if .before}}
{{template "sql/one_profile" "(SELECT *, rowid AS came FROM stage_profiles UNION ALL SELECT *, -1 FROM before_profiles)"}}
{{- else}}
{{template "sql/one_profile" "(SELECT *, rowid AS came FROM stage_profiles)"}}
{{- end}}
