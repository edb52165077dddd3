-- Totals of new and returning customers, and the channels of new customers. Orders without touches are in the cube
-- with their channel under every model.
DELETE FROM {{segment_days}} WHERE in_slice(day);
INSERT INTO {{segment_days}}
SELECT day, channel, is_new, sum(orders), sum(charged), sum(tax), sum(shipping), sum(discounts), sum(refunds),
    sum(undated), sum(new_orders), sum(units)
FROM (
    SELECT day, credited AS channel, is_new, orders, charged, tax, shipping, discounts, refunds, undated, new_orders,
        units
    FROM slice_cube
    WHERE by_channel AND credited IS NOT NULL
    UNION ALL
    SELECT day, channel, is_new, orders, charged, tax, shipping, discounts, refunds, undated, new_orders, units
    FROM slice_credit
    WHERE model = 'last_touch'
)
GROUP BY day, channel, is_new
ORDER BY day, channel, is_new;

DELETE FROM {{buyers}} WHERE in_slice(day);
INSERT INTO {{buyers}}
SELECT f.customer, f.day, coalesce(s.channel, nullif(k.channel, ''), c.channel, 'unattributed')
FROM {{customers}} f
JOIN {{order_kinds}} k ON k.kind = f.kind
LEFT JOIN (SELECT source, key, channel FROM slice_shares WHERE model = 'last_touch') s
    ON s.source = k.source AND s.key = f.key
LEFT JOIN slice_codes c ON c.source = k.source AND c.key = f.key
WHERE in_slice(f.day);
