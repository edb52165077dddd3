-- The ties that connect a forgotten customer with other hashes.
DELETE FROM {{customer_ties}} WHERE customer = $1 OR known_as = $1
