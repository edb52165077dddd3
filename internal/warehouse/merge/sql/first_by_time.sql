-- The first order of each customer of a new store, if no two orders of a customer have the same instant. The time alone
-- then determines the first order, which halves the cost.
INSERT INTO {{customers}}
SELECT customer, min(placed_at) AS first_at, arg_min(day, placed_at) AS day, arg_min(kind, placed_at) AS kind,
    arg_min(key, placed_at) AS key
FROM {{order_rows}}
WHERE customer <> '' AND kind IN (SELECT kind FROM {{order_kinds}} WHERE NOT cancelled AND NOT test)
GROUP BY customer
