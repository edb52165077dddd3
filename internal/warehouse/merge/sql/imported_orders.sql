-- The orders in the import; stale orders are removed when they are known.
CREATE TEMP VIEW imported_orders AS
SELECT s.source, s.key
{{- if not .any}}
FROM {{orders}} s WHERE false
{{- else if .direct}}
FROM {{orders}} s
{{- else}}
FROM stage_orders s ANTI JOIN stale o ON o.source = s.source AND o.key = s.key
{{- end}}
