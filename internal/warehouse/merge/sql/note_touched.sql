-- The orders with changed rows.
INSERT INTO touched SELECT source, key FROM changed_{{.fact.Name}} UNION SELECT source, key FROM gone_{{.fact.Name}}
