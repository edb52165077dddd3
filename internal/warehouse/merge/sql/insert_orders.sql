-- The orders of changed_orders, with the numbers of their texts.
INSERT INTO {{order_rows}}
SELECT o.key, nullif(o.name, o.key), o.placed_at, o.day, o.customer, o.charged, o.tax, o.shipping, o.discounts,
    o.original, o.units, o.updated_at, k.kind, p.place
FROM changed_orders o
INNER JOIN {{order_kinds}} k ON k.source = o.source AND k.surface = o.surface AND k.channel = o.channel
    AND k.original_currency = o.original_currency AND k.status = o.status AND k.cancelled = o.cancelled AND k.test = o.test
INNER JOIN {{order_places}} p ON p.country = o.country AND p.region = o.region
ORDER BY o.placed_at, o.key
