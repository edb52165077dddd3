-- An empty table for the imported rows of a fact table.
CREATE TEMP TABLE stage_{{.stored}} AS SELECT * FROM {{table .stored}} LIMIT 0
