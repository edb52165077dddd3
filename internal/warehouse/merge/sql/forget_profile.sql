-- The profiles of a forgotten customer, under the customer's hash or phone number.
DELETE FROM {{profiles}} WHERE customer = $1 OR phone = $1
