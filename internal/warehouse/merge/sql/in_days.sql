-- A macro that reports whether a day is one of the days of a table. The ends of their period are constants, so the
-- database skips blocks of other days.
CREATE OR REPLACE TEMP MACRO {{.macro}}(d) AS (
    d >= DATE '{{.first}}' AND d <= DATE '{{.last}}'{{if .table}} AND d IN (SELECT day FROM {{.table}}){{end}}
)
