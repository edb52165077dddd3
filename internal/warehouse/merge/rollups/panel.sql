-- The panel: the customers with the smallest keys, which are keyed hashes and therefore a random sample. A customer's
-- number is derived from the key. The panel's activity is counted again for the changed days, given by
-- in_panel_dirty.
CREATE TEMP TABLE panel AS
SELECT customer, {{fingerprint "customer"}} AS id, day, channel
FROM {{buyers}}
WHERE customer <= (SELECT max(customer) FROM (SELECT customer FROM {{buyers}} ORDER BY customer LIMIT panel_size()));

CREATE TEMP TABLE panel_left AS SELECT c.id FROM {{panel_customers}} c ANTI JOIN panel p ON p.id = c.id;

-- Customers who are new to the panel. Most have their first order in this import, so all their days changed. If a
-- customer left the panel, an existing customer may have moved up.
CREATE TEMP TABLE panel_back AS
SELECT p.customer, p.id FROM panel p ANTI JOIN {{panel_customers}} c ON c.id = p.id
WHERE EXISTS (SELECT 1 FROM panel_left);

CREATE TEMP TABLE panel_changed AS
SELECT p.id, p.day, p.channel FROM panel p
ANTI JOIN {{panel_customers}} c ON c.id = p.id AND c.day = p.day AND c.channel = p.channel;

DELETE FROM {{panel_customers}} WHERE id IN (SELECT id FROM panel_left UNION ALL SELECT id FROM panel_changed);
INSERT INTO {{panel_customers}} SELECT id, day, channel FROM panel_changed ORDER BY id;

-- The orders on those days, and all orders of customers who moved up.
CREATE TEMP TABLE panel_orders AS
SELECT k.source, o.key, o.day, p.id, o.charged, o.tax, o.shipping
FROM {{order_rows}} o
JOIN {{order_kinds}} k ON k.kind = o.kind
JOIN panel p ON p.customer = o.customer
WHERE o.customer <= (SELECT max(customer) FROM panel) AND NOT k.cancelled AND NOT k.test AND in_panel_dirty(o.day)
{{- if not .fresh}}
UNION ALL
SELECT k.source, o.key, o.day, b.id, o.charged, o.tax, o.shipping
FROM {{order_rows}} o
JOIN {{order_kinds}} k ON k.kind = o.kind
JOIN panel_back b ON b.customer = o.customer
WHERE NOT k.cancelled AND NOT k.test AND NOT in_panel_dirty(o.day)
{{- end}};

-- Refunds on those days, of orders of any day.
CREATE TEMP TABLE panel_refunds AS
SELECT source, key, day, amount FROM {{refunds}} WHERE NOT date_unknown AND in_panel_dirty(day);

SET VARIABLE first_refunded = (SELECT min(key) FROM panel_refunds);
SET VARIABLE last_refunded = (SELECT max(key) FROM panel_refunds);

DELETE FROM {{panel_days}}
WHERE in_panel_dirty(day) OR id IN (SELECT id FROM panel_left UNION ALL SELECT id FROM panel_back);

INSERT INTO {{panel_days}}
SELECT id, day, sum(orders), sum(charged), sum(tax), sum(shipping), sum(refunds), sum(net), sum(costed), sum(cost)
FROM (
    SELECT id, day, 1 AS orders, charged, tax, shipping, 0 AS refunds, 0 AS net, 0 AS costed, 0 AS cost
    FROM panel_orders
{{- if .refunds}}
    UNION ALL
    SELECT p.id, r.day, 0, 0, 0, 0, r.amount, 0, 0, 0
    FROM panel_refunds r
    JOIN {{orders}} o ON o.source = r.source AND o.key = r.key
    JOIN panel p ON p.customer = o.customer
    WHERE o.key >= getvariable('first_refunded') AND o.key <= getvariable('last_refunded') AND NOT o.cancelled
        AND NOT o.test
    UNION ALL
    SELECT b.id, r.day, 0, 0, 0, 0, r.amount, 0, 0, 0
    FROM {{refunds}} r
    JOIN {{orders}} o ON o.source = r.source AND o.key = r.key
    JOIN panel_back b ON b.customer = o.customer
    WHERE NOT r.date_unknown AND NOT in_panel_dirty(r.day) AND NOT o.cancelled AND NOT o.test
    UNION ALL
    SELECT o.id, o.day, 0, 0, 0, 0, r.amount, 0, 0, 0
    FROM {{refunds}} r JOIN panel_orders o ON o.source = r.source AND o.key = r.key
    WHERE r.date_unknown
{{- end}}
{{- if .lines}}
    UNION ALL
    SELECT o.id, o.day, 0, 0, 0, 0, 0, l.net, CASE WHEN l.cost_known OR u.sku IS NOT NULL THEN l.net ELSE 0 END,
        CASE WHEN l.cost_known THEN l.cost WHEN u.sku IS NOT NULL THEN u.cost * l.quantity ELSE 0 END
    FROM {{order_lines}} l
    JOIN panel_orders o ON o.source = l.source AND o.key = l.key
    LEFT JOIN unit_costs u ON u.sku = l.sku AND o.day >= u.since AND o.day < u.until AND abs(l.quantity) <= u.most
{{- end}}
)
GROUP BY id, day
ORDER BY id, day;
