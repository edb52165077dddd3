-- One row per keyed hash of the customer of a hash, including that one: email addresses and IDs that are tied
-- together. No row if nothing is tied to it.
-- heavy: scans all customers.
SELECT a.known_as
FROM {{identities}} a
INNER JOIN {{identities}} o ON o.customer = a.customer
WHERE o.known_as = $customer
ORDER BY a.known_as
