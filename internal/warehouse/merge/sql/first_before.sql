-- The first orders of the customers with changed orders.
CREATE TEMP TABLE first_before AS
SELECT c.* FROM {{customers}} c SEMI JOIN touched_customers t ON t.customer = c.customer
