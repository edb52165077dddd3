-- The panel: the customers whose keys come first, which are keyed hashes and so as good as drawn by chance. It is made
-- anew: its size is bounded, so this takes as long as finding its orders. A customer's number is made from the key.
CREATE OR REPLACE TEMP TABLE panel AS
SELECT customer, CAST(md5_number_lower(customer) // 16 AS BIGINT) AS id, day, channel
FROM {{buyers}}
WHERE customer <= (SELECT max(customer) FROM (SELECT customer FROM {{buyers}} ORDER BY customer LIMIT panel_size()));

DELETE FROM {{panel_customers}};
INSERT INTO {{panel_customers}} SELECT id, day, channel FROM panel ORDER BY id;

CREATE OR REPLACE TEMP TABLE panel_orders AS
SELECT k.source, o.key, o.day, p.id, o.charged, o.tax, o.shipping
FROM {{order_rows}} o
JOIN {{order_kinds}} k ON k.kind = o.kind
JOIN panel p ON p.customer = o.customer
WHERE o.customer <= (SELECT max(customer) FROM panel) AND NOT k.cancelled AND NOT k.test;

DELETE FROM {{panel_days}};
INSERT INTO {{panel_days}}
SELECT id, day, sum(orders), sum(charged), sum(tax), sum(shipping), sum(refunds), sum(net), sum(costed), sum(cost)
FROM (
    SELECT id, day, 1 AS orders, charged, tax, shipping, 0 AS refunds, 0 AS net, 0 AS costed, 0 AS cost
    FROM panel_orders
    UNION ALL
    SELECT o.id, CASE WHEN r.date_unknown THEN o.day ELSE r.day END, 0, 0, 0, 0, r.amount, 0, 0, 0
    FROM {{refunds}} r JOIN panel_orders o ON o.source = r.source AND o.key = r.key
    UNION ALL
    SELECT o.id, o.day, 0, 0, 0, 0, 0, l.net, CASE WHEN l.cost_known OR u.sku IS NOT NULL THEN l.net ELSE 0 END,
        CASE WHEN l.cost_known THEN l.cost WHEN u.sku IS NOT NULL THEN u.cost * l.quantity ELSE 0 END
    FROM {{order_lines}} l
    JOIN panel_orders o ON o.source = l.source AND o.key = l.key
    LEFT JOIN unit_costs u ON u.sku = l.sku AND o.day >= u.since AND o.day < u.until
)
GROUP BY id, day
ORDER BY id, day;
