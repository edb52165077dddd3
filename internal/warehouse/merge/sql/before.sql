-- The stored rows that the import may change: rows with its keys, or rows of its orders.
CREATE TEMP TABLE before_{{.fact.Name}} AS
SELECT t.*
FROM {{table .fact.Name}} t
{{- if and .part .fact.Whole}}
SEMI JOIN (SELECT source, key FROM stage_{{.fact.Name}} UNION ALL SELECT source, key FROM imported_orders) s
    ON {{same "s" "t" .order}}
{{- else if .part}}
SEMI JOIN stage_{{.fact.Name}} s ON {{same "s" "t" .order}}
{{- else}}
SEMI JOIN stage_{{.fact.Name}} s ON {{same "s" "t" .fact.Key}}
{{- end}}
{{- if .fact.OfOrders}}
WHERE {{within "t" "came"}}
{{- end}}
