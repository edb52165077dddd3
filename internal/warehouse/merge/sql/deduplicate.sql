-- One row per key: the sum, the latest version, or the last row of the import.
CREATE OR REPLACE TEMP TABLE stage_{{.fact.Name}} AS
{{- if .fact.Sum}}
SELECT * FROM {{table .fact.Name}} WHERE false
UNION ALL BY NAME
SELECT {{range $i, $c := .fact.Columns}}{{if $i}}, {{end}}
    {{- if eq $c.Name $.fact.Sum}}CAST(sum({{$c.Name}}) AS BIGINT) AS {{$c.Name}}
    {{- else if in $c.Name $.fact.Key}}{{$c.Name}}
    {{- else}}max({{$c.Name}}) AS {{$c.Name}}{{end}}{{end}}
FROM stage_{{.fact.Name}}
GROUP BY {{columns "" .fact.Key}}
{{- else}}
SELECT *
FROM stage_{{.fact.Name}}
QUALIFY row_number() OVER (PARTITION BY {{columns "" .fact.Key}}
    ORDER BY {{if .fact.Version}}{{.fact.Version}} DESC NULLS LAST, {{end}}rowid DESC) = 1
{{- end}}
