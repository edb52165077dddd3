-- The changes of a table of orders without stored rows: every row is new.
CREATE TEMP VIEW changed_{{.fact.Name}} AS SELECT * FROM stage_{{.fact.Name}};
CREATE TEMP TABLE gone_{{.fact.Name}} AS SELECT {{columns "t" .fact.Key}} FROM before_{{.fact.Name}} t;
INSERT INTO touched
SELECT DISTINCT source, key FROM stage_{{.fact.Name}} c ANTI JOIN touched t ON {{same "t" "c" .order}}
