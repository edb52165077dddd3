-- One row per day and sales surface with order lines: units, the net amount charged, the number of units with a known
-- cost, the amount charged for them and their cost of goods. A line without its own cost has its product's cost on the
-- day, unless the cost of its quantity exceeds 1e15.
CREATE TABLE {{goods_days}} (
    day DATE, surface VARCHAR, units BIGINT, net BIGINT, costed BIGINT, costed_net BIGINT, cost BIGINT
);

INSERT INTO {{goods_days}}
SELECT o.day, o.surface, sum(l.quantity), sum(l.net),
    sum(CASE WHEN l.cost_known OR u.sku IS NOT NULL THEN l.quantity ELSE 0 END),
    sum(CASE WHEN l.cost_known OR u.sku IS NOT NULL THEN l.net ELSE 0 END),
    sum(CASE WHEN l.cost_known THEN l.cost WHEN u.sku IS NOT NULL THEN u.cost * l.quantity ELSE 0 END)
FROM {{order_lines}} AS l
INNER JOIN {{orders}} AS o ON o.source = l.source AND o.key = l.key
LEFT JOIN (
    SELECT sku, since, lead(since, 1, DATE '9999-12-31') OVER (PARTITION BY sku ORDER BY since) AS until, cost,
        1000000000000000 // greatest(abs(cost), 1) AS most
    FROM (SELECT sku, since, arg_min(cost, source) AS cost FROM {{product_costs}} GROUP BY sku, since)
) AS u ON u.sku = l.sku AND o.day >= u.since AND o.day < u.until AND abs(l.quantity) <= u.most
WHERE NOT o.cancelled AND NOT o.test
GROUP BY o.day, o.surface
ORDER BY o.day, o.surface;
