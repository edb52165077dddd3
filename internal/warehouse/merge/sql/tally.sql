-- One row: the numbers of changed rows, of changed rows with a stored version, and of removed rows.
SELECT (SELECT count(*) FROM changed_{{.fact.Name}}),
    (SELECT count(*) FROM changed_{{.fact.Name}} c SEMI JOIN before_{{.fact.Name}} b ON {{same "b" "c" .fact.Key}}),
    (SELECT count(*) FROM gone_{{.fact.Name}})
