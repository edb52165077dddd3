-- The differences between the computed and the stored parts of orders.
CREATE TEMP TABLE had_{{.part}}_made AS
SELECT t.* FROM {{table .fact.Name}} t SEMI JOIN {{.part}}_made s ON s.source = t.source AND s.key = t.key;
CREATE TEMP TABLE new_{{.part}}_made AS SELECT * FROM {{.part}}_made EXCEPT SELECT * FROM had_{{.part}}_made;
CREATE TEMP TABLE old_{{.part}}_made AS SELECT * FROM had_{{.part}}_made EXCEPT SELECT * FROM {{.part}}_made
