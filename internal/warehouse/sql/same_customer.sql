-- One row per keyed hash of the customer who has a given hash, including that hash: email addresses and IDs that are
-- tied together. No row if no other hash is tied to the given one.
-- heavy: scans all customers.
SELECT a.known_as
FROM {{identities}} a
INNER JOIN {{identities}} o ON o.customer = a.customer
WHERE o.known_as = $customer
ORDER BY a.known_as
