-- The last rows of each order, up to the maximum number that is stored.
CREATE OR REPLACE TEMP TABLE stage_{{.fact.Name}} AS
SELECT * FROM stage_{{.fact.Name}}
QUALIFY row_number() OVER (PARTITION BY {{columns "" .order}} ORDER BY {{.last}} DESC) <= {{.fact.Most}}
