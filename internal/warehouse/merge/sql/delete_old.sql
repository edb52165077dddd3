-- The stored rows with the keys of a table.
DELETE FROM {{table .fact.Name}} t USING {{.from}}_{{.fact.Name}} c WHERE {{same "c" "t" .fact.Key}}
