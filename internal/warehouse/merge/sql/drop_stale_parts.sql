-- Drops the rows of an order if the store has a later version of the order.
DELETE FROM stage_{{.fact.Name}} s USING stale o WHERE {{same "o" "s" .order}}
