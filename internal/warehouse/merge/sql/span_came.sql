-- The smallest and largest key of the orders in the import, or with rows in it. Shops number their orders, so with
-- these constants the database skips blocks of other orders.
{{- define "keys"}}SELECT key FROM imported_orders{{range .stages}} UNION ALL SELECT key FROM {{.}}{{end}}{{end}}
SET VARIABLE first_came = (SELECT min(key) FROM ({{template "keys" .}}));
SET VARIABLE last_came = (SELECT max(key) FROM ({{template "keys" .}}))
