-- The customer that a hash belongs to.
DELETE FROM {{identities}} WHERE known_as = $1
