-- The customers of the names. The table moved contains the names with a changed customer.
CREATE TEMP TABLE moved AS
SELECT n.name, n.customer FROM named n
ANTI JOIN {{identities}} i ON i.known_as = n.name AND i.customer = n.customer
WHERE n.name <> n.customer;
DELETE FROM {{identities}} i USING named n WHERE n.name = i.known_as;
INSERT INTO {{identities}} SELECT name, customer FROM named ORDER BY name
