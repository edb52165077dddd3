-- The days with sales of products whose cost may have changed.
INSERT INTO dirty
SELECT DISTINCT o.day
FROM {{order_lines}} l
INNER JOIN {{orders}} o ON o.source = l.source AND o.key = l.key
INNER JOIN (SELECT sku, min(since) AS since FROM {{.from}} GROUP BY sku) c ON c.sku = l.sku AND o.day >= c.since
WHERE NOT l.cost_known
