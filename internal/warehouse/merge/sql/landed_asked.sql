-- The orders with parts from separate tables that may have changed: changed orders, and orders whose key or connector's
-- row ID is in a changed row.
CREATE TEMP TABLE landed_asked AS
SELECT DISTINCT a.source, a.key
FROM (
SELECT source, key FROM touched
{{- range .orders}}
UNION ALL
SELECT source, key FROM {{.}}
{{- end}}
{{- range .parts}}
UNION ALL
SELECT p.source, coalesce(t.key, p.parent)
FROM {{.}} p LEFT JOIN {{landed_orders}} t ON t.source = p.source AND t.row_id = p.parent
{{- end}}
{{- range .discounts}}
UNION ALL
SELECT p.source, coalesce(t.key, p.parent)
FROM (
    SELECT l.source, l.parent FROM {{landed_lines}} l SEMI JOIN {{.}} d ON d.source = l.source AND d.line = l.id
    UNION ALL
    SELECT l.source, l.parent FROM {{landed_lines}} l SEMI JOIN {{.}} d ON d.source = l.source AND d.line = l.row_id
) p
LEFT JOIN {{landed_orders}} t ON t.source = p.source AND t.row_id = p.parent
{{- end}}
) a(source, key)
SEMI JOIN {{orders}} o ON o.source = a.source AND o.key = a.key
