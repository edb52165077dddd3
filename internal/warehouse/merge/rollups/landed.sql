-- The lines and coupons of landed_asked, the orders with parts that may have changed, from the separate tables of
-- connectors. An order that was imported with its own lines or coupons keeps them. It also keeps all data that the
-- tables lack.
CREATE OR REPLACE TEMP MACRO in_base(x, charged, original) AS
    CASE WHEN charged = original THEN x WHEN original = 0 THEN 0 ELSE CAST(round(CAST(x AS DOUBLE) * charged / original) AS BIGINT) END;

-- The IDs that the orders' parts may refer to.
CREATE TEMP TABLE landed_parents AS
SELECT source, key, key AS parent FROM landed_asked
UNION ALL
SELECT t.source, t.key, t.row_id FROM {{landed_orders}} t SEMI JOIN landed_asked a ON a.source = t.source AND a.key = t.key
WHERE t.row_id <> '';

CREATE TEMP TABLE landed_sales AS
SELECT o.source, o.key, o.charged, o.original, o.original_currency AS currency, o.discounts, t.subtotal, t.discounts AS taken
FROM {{orders}} o
SEMI JOIN landed_asked a ON a.source = o.source AND a.key = o.key
LEFT JOIN {{landed_orders}} t ON t.source = o.source AND t.key = o.key;

-- A row per line, in the order's currency. Discount allocations take precedence over the line's own discount.
CREATE TEMP TABLE landed_sold AS
SELECT s.source, s.key, s.charged, s.original, s.subtotal, s.taken, l.id, l.row_id,
    CAST(row_number() OVER (PARTITION BY s.source, s.key ORDER BY l.place, length(l.id), l.id, l.parent) AS BIGINT) AS line,
    l.sku, l.title, l.quantity, l.gross, l.discount
FROM landed_sales s
INNER JOIN landed_parents p ON p.source = s.source AND p.key = s.key
INNER JOIN {{landed_lines}} l ON l.source = p.source AND l.parent = p.parent AND l.currency = s.currency AND NOT l.gone
ANTI JOIN own_lines w ON w.source = s.source AND w.key = s.key;

CREATE TEMP TABLE landed_taken AS
SELECT n.source, n.key, n.line, CAST(sum(d.amount) AS BIGINT) AS amount
FROM (
    SELECT source, key, line, id AS name FROM landed_sold
    UNION ALL
    SELECT source, key, line, row_id FROM landed_sold WHERE row_id <> '' AND row_id <> id
) n
INNER JOIN {{landed_discounts}} d ON d.source = n.source AND d.line = n.name
GROUP BY n.source, n.key, n.line
HAVING sum(d.amount) <> 0;

-- The remaining discount, down to the order's subtotal, is allocated in proportion to the lines' amounts.
CREATE TEMP TABLE lines_made AS
SELECT source, key, line, sku, title, quantity, in_base(net - part, charged, original) AS net,
    in_base(discount + part, charged, original) AS discount, CAST(0 AS BIGINT) AS cost, false AS cost_known
FROM (
    SELECT *,
        CASE
            WHEN least_net < 0 OR subtotal IS NULL OR subtotal < 0 OR whole - subtotal <= 0 THEN 0
            WHEN subtotal = 0 AND greatest(taken - allocated, 0) < whole THEN 0
            ELSE CAST(share(CAST(whole - subtotal AS HUGEINT), reached - net, reached, whole) AS BIGINT)
        END AS part
    FROM (
        SELECT *, CAST(sum(net) OVER (PARTITION BY source, key) AS BIGINT) AS whole, min(net) OVER (PARTITION BY source, key) AS least_net,
            CAST(sum(discount) OVER (PARTITION BY source, key) AS BIGINT) AS allocated,
            CAST(sum(net) OVER (PARTITION BY source, key ORDER BY line) AS BIGINT) AS reached
        FROM (
            SELECT l.* REPLACE (coalesce(t.amount, l.discount) AS discount), l.gross - coalesce(t.amount, l.discount) AS net
            FROM landed_sold l LEFT JOIN landed_taken t ON t.source = l.source AND t.key = l.key AND t.line = l.line
        )
    )
);

-- A row per code. A discount is assigned to a code without its own only if it is the only code.
CREATE TEMP TABLE codes_made AS
SELECT source, key, code,
    CASE WHEN amount IS NOT NULL THEN in_base(amount, charged, original) WHEN codes = 1 THEN discounts ELSE 0 END AS discount
FROM (
    SELECT s.source, s.key, s.charged, s.original, s.discounts, c.code, max(c.amount) AS amount,
        count(*) OVER (PARTITION BY s.source, s.key) AS codes
    FROM landed_sales s
    INNER JOIN landed_parents p ON p.source = s.source AND p.key = s.key
    INNER JOIN {{landed_codes}} c ON c.source = p.source AND c.parent = p.parent AND NOT c.gone AND (c.amount IS NULL OR c.currency = s.currency)
    ANTI JOIN own_codes w ON w.source = s.source AND w.key = s.key
    GROUP BY s.source, s.key, s.charged, s.original, s.discounts, c.code
);
