-- Assigns each name the first customer that one more tie leads to, or that is assigned to its customer. Its present
-- customer gets the first customer too. Repeated, this gives connected components by minimum. The number of repetitions
-- grows with the logarithm of the longest chain of ties: the method is that of Zhang, Azad and Buluç 2020, "FastSV: a
-- distributed-memory connected component algorithm with fast convergence", SIAM PP20.
UPDATE named SET customer = nearer.customer
FROM (
    SELECT name, min(customer) AS customer
    FROM (
        SELECT t.known_as AS name, n.customer FROM tied t JOIN named n ON n.name = t.customer
        UNION ALL
        SELECT t.customer, n.customer FROM tied t JOIN named n ON n.name = t.known_as
        UNION ALL
        SELECT n.name, o.customer FROM named n JOIN named o ON o.name = n.customer
        UNION ALL
        SELECT n.customer, o.customer FROM tied t JOIN named n ON n.name = t.known_as JOIN named o ON o.name = t.customer
        UNION ALL
        SELECT o.customer, n.customer FROM tied t JOIN named n ON n.name = t.known_as JOIN named o ON o.name = t.customer
    )
    GROUP BY name
) nearer
WHERE nearer.name = named.name AND nearer.customer < named.customer
