-- The changed rows, sorted by key.
INSERT INTO {{table .fact.Name}} SELECT * FROM changed_{{.fact.Name}} ORDER BY {{columns "" .fact.Key}}
