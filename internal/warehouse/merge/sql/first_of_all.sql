-- The first order of each customer of a new store, by time and then by key.
INSERT INTO {{customers}}
SELECT customer, f.placed_at AS first_at, f.day AS day, f.kind AS kind, f.key AS key
FROM (
    SELECT o.customer, min({'placed_at': o.placed_at, 'key': o.key, 'source': k.source, 'day': o.day, 'kind': o.kind}) AS f
    FROM {{order_rows}} o INNER JOIN {{order_kinds}} k ON k.kind = o.kind
    WHERE o.customer <> '' AND NOT k.cancelled AND NOT k.test
    GROUP BY o.customer
)
