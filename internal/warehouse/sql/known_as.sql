-- One row per profile of a customer: the profile's hashes. The customer is given by a keyed hash of the email address,
-- the ID or the phone number. phone_hash is '' if unknown.
-- heavy: scans all customers.
SELECT customer, phone AS phone_hash
FROM {{profiles}}
WHERE customer = $customer OR phone = $customer
ORDER BY customer, phone_hash
