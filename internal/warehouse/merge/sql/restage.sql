-- Rows that were written into the empty table go back to staging.
CREATE TEMP TABLE stage_{{.fact.Name}} AS SELECT * FROM {{table .fact.Name}};
DELETE FROM {{table .fact.Name}}
