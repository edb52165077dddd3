-- The ties in the import, all other ties of the same customers, and the names that these ties connect. The first
-- customer of a name is the first address that it is tied to. An address starts with itself.
CREATE TEMP TABLE tied AS SELECT DISTINCT known_as, customer FROM {{.from}};

INSERT INTO tied
SELECT i.known_as, i.customer FROM {{identities}} i
SEMI JOIN (
    SELECT o.customer FROM {{identities}} o
    SEMI JOIN (SELECT known_as AS name FROM tied UNION SELECT customer FROM tied) t ON t.name = o.known_as
) c ON c.customer = i.customer;

CREATE TEMP TABLE named AS
SELECT name, min(customer) AS customer
FROM (SELECT known_as AS name, customer FROM tied UNION ALL SELECT customer, customer FROM tied)
GROUP BY name
