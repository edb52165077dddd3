-- The new and different rows, and the keys of rows that are removed without a successor. Only rows of an order can be
-- removed in this way.
CREATE TEMP TABLE changed_{{.fact.Name}} AS
SELECT * FROM stage_{{.fact.Name}} EXCEPT SELECT * FROM before_{{.fact.Name}};

CREATE TEMP TABLE gone_{{.fact.Name}} AS
SELECT {{columns "t" .fact.Key}} FROM before_{{.fact.Name}} t
{{- if .part}}
ANTI JOIN stage_{{.fact.Name}} s ON {{same "s" "t" .fact.Key}}
{{- else}}
LIMIT 0
{{- end}}
