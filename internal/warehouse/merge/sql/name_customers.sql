-- Imported rows get the customer of their name.
UPDATE {{.into}} s SET customer = i.customer FROM {{identities}} i
WHERE i.known_as = s.customer AND i.customer <> s.customer
