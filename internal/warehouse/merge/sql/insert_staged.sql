-- The staged rows, sorted by key.
INSERT INTO {{table .fact.Name}} SELECT * FROM stage_{{.fact.Name}} ORDER BY {{columns "" .fact.Key}}
