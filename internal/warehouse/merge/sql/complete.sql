-- The stored rows of orders that are not in the import are added, so that the staged rows of each order are complete.
INSERT INTO stage_{{.fact.Name}}
SELECT t.*
FROM {{table .fact.Name}} t
SEMI JOIN stage_{{.fact.Name}} s ON {{same "s" "t" .order}}
ANTI JOIN imported_orders o ON {{same "o" "t" .order}}
ANTI JOIN stage_{{.fact.Name}} r ON {{same "r" "t" .fact.Key}}
WHERE {{within "t" "came"}}
