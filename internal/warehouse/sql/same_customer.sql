-- One row per keyed hash by which the customer of a hash is known, that one too: mail addresses and ids that are tied together.
-- No row where nothing ties it to another.
-- heavy: looks through all customers.
SELECT a.known_as
FROM {{identities}} a
INNER JOIN {{identities}} o ON o.customer = a.customer
WHERE o.known_as = $customer
ORDER BY a.known_as
