-- One row per profile of a customer, who is named by a keyed hash of the mail address, the id or the telephone number: the
-- hashes that it is known by. phone_hash is '' where none is known.
-- heavy: looks through all customers.
SELECT customer, phone AS phone_hash
FROM {{profiles}}
WHERE customer = $customer OR phone = $customer
ORDER BY customer, phone_hash
