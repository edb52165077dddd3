-- The days to rebuild when a store gets its first orders or rows of orders.
{{- if .orders}}
INSERT INTO dirty SELECT DISTINCT day FROM {{order_rows}};
{{- end}}
INSERT INTO dirty SELECT DISTINCT day FROM {{refunds}} WHERE day IS NOT NULL
