-- The rows of orders of which the store has a later version are dropped.
DELETE FROM stage_{{.fact.Name}} s USING stale o WHERE {{same "o" "s" .order}}
