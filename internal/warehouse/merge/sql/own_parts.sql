-- The orders of landed_asked that have their own lines or coupons.
{{- if .staged}}
DELETE FROM {{assembled_orders}} a USING stage_{{.fact.Name}} s
WHERE a.part = '{{.part}}' AND s.source = a.source AND s.key = a.key;
{{- end}}
CREATE TEMP TABLE own_{{.part}} AS
SELECT DISTINCT t.source, t.key
FROM {{table .fact.Name}} t
SEMI JOIN landed_asked o ON o.source = t.source AND o.key = t.key
ANTI JOIN (SELECT source, key FROM {{assembled_orders}} WHERE part = '{{.part}}') a ON a.source = t.source AND a.key = t.key
