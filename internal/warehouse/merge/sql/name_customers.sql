-- Assigns imported rows the customer that their customer hash belongs to.
UPDATE {{.into}} s SET customer = i.customer FROM {{identities}} i
WHERE i.known_as = s.customer AND i.customer <> s.customer
