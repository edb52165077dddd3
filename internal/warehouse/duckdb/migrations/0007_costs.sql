-- Unit costs of products, by the first day on which they apply. 1970-01-01 means from the beginning. Previously, a
-- product had one cost, and no figure used it.
CREATE TABLE {{product_costs}} (source VARCHAR, sku VARCHAR, since DATE, cost BIGINT);

INSERT INTO {{product_costs}}
SELECT source, sku, DATE '1970-01-01', cost FROM {{products}} WHERE cost_known ORDER BY source, sku;

ALTER TABLE {{products}} RENAME TO products_before;

CREATE TABLE {{products}} (
    source VARCHAR, sku VARCHAR, title VARCHAR, kind VARCHAR, vendor VARCHAR, price BIGINT
);

INSERT INTO {{products}} SELECT source, sku, title, kind, vendor, price FROM {{products_before}};

DROP TABLE {{products_before}};

INSERT INTO {{rebuild_days}}
SELECT DISTINCT o.day
FROM {{order_lines}} AS l
INNER JOIN {{orders}} AS o ON o.source = l.source AND o.key = l.key
INNER JOIN {{product_costs}} AS c ON c.sku = l.sku
WHERE NOT l.cost_known;
