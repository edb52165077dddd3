-- Rows that were written into the empty table are moved back to the staging table.
CREATE TEMP TABLE stage_{{.fact.Name}} AS SELECT * FROM {{table .fact.Name}};
DELETE FROM {{table .fact.Name}}
