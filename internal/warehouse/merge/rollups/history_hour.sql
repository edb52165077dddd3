-- If a feed changes a day several times within an hour, only the last change is stored. The previous row is deleted. If
-- the new totals equal the totals before that row, no row is added.
DELETE FROM {{day_history}} h USING outlived o
WHERE o.import_id = h.import_id AND o.day = h.day AND o.kind = h.kind AND o.part = h.part;

DELETE FROM changed_versions c USING (
    SELECT h.*
    FROM {{day_history}} h
    JOIN (
        SELECT max(e.import_id) AS import_id, e.day, e.kind, e.part
        FROM {{day_history}} e SEMI JOIN outlived o ON o.day = e.day AND o.kind = e.kind AND o.part = e.part
        GROUP BY e.day, e.kind, e.part
    ) l ON l.import_id = h.import_id AND l.day = h.day AND l.kind = h.kind AND l.part = h.part
) b
WHERE b.day = c.day AND b.kind = c.kind AND b.part = c.part AND b.there = c.there AND b.orders = c.orders
    AND b.charged = c.charged AND b.tax = c.tax AND b.shipping = c.shipping AND b.discounts = c.discounts
    AND b.refunds = c.refunds AND b.undated = c.undated AND b.new_orders = c.new_orders AND b.units = c.units
    AND b.spend = c.spend AND b.impressions = c.impressions AND b.clicks = c.clicks AND b.conversions = c.conversions
    AND b.value = c.value;

-- A day without data now and before has no history.
DELETE FROM changed_versions c
WHERE NOT c.there AND NOT EXISTS (
    SELECT 1 FROM {{day_history}} h WHERE h.day = c.day AND h.kind = c.kind AND h.part = c.part
);
