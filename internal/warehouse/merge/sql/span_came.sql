-- The smallest and largest key of the orders in the import, or with rows in it. As constants they let the database
-- skip blocks of other orders: shops number their orders.
{{- define "keys"}}SELECT key FROM imported_orders{{range .stages}} UNION ALL SELECT key FROM {{.}}{{end}}{{end}}
SET VARIABLE first_came = (SELECT min(key) FROM ({{template "keys" .}}));
SET VARIABLE last_came = (SELECT max(key) FROM ({{template "keys" .}}))
