-- Product sales: the lines of the slice's orders. A line without its own cost has its product's cost on the day,
-- if its quantity is plausible.
CREATE OR REPLACE TEMP TABLE slice_lines AS
SELECT o.source, o.key, o.day, o.surface, l.sku, l.title, sum(l.quantity) AS units, sum(l.net) AS net,
    sum(l.discount) AS discount,
    sum(CASE WHEN l.cost_known THEN l.cost WHEN u.sku IS NOT NULL THEN u.cost * l.quantity ELSE 0 END) AS cost,
    sum(CASE WHEN l.cost_known OR u.sku IS NOT NULL THEN l.quantity ELSE 0 END) AS costed,
    sum(CASE WHEN l.cost_known OR u.sku IS NOT NULL THEN l.net ELSE 0 END) AS costed_net
FROM {{order_lines}} l
JOIN slice_events o ON o.source = l.source AND o.key = l.key
LEFT JOIN unit_costs u ON u.sku = l.sku AND o.day >= u.since AND o.day < u.until AND abs(l.quantity) <= u.most
WHERE o.orders > 0 AND l.key >= getvariable('first_event') AND l.key <= getvariable('last_event')
GROUP BY ALL;

DELETE FROM {{product_days}} WHERE in_slice(day);
INSERT INTO {{product_days}}
SELECT day, sku, title, sum(units), count(*), sum(net), sum(discount), sum(cost), sum(costed)
FROM slice_lines
GROUP BY day, sku, title
ORDER BY day, sku, title;

DELETE FROM {{goods_days}} WHERE in_slice(day);
INSERT INTO {{goods_days}}
SELECT day, surface, sum(units), sum(net), sum(costed), sum(costed_net), sum(cost)
FROM slice_lines
GROUP BY day, surface
ORDER BY day, surface;

DELETE FROM {{lined_order_days}} WHERE in_slice(day);
INSERT INTO {{lined_order_days}}
SELECT day, count(*) FROM (SELECT DISTINCT source, key, day FROM slice_lines) GROUP BY day ORDER BY day;
