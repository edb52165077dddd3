-- Assigns each name the first customer that one more tie leads to. Repeated, this gives connected components by
-- minimum.
UPDATE named SET customer = nearer.customer
FROM (
    SELECT name, min(customer) AS customer
    FROM (
        SELECT t.known_as AS name, n.customer FROM tied t JOIN named n ON n.name = t.customer
        UNION ALL
        SELECT t.customer, n.customer FROM tied t JOIN named n ON n.name = t.known_as
    )
    GROUP BY name
) nearer
WHERE nearer.name = named.name AND nearer.customer < named.customer
