-- What belongs to new and to returning customers, and which channel won whom. Orders without touches are in the cube
-- with the channel that they belong to under every model.
DELETE FROM {{segment_days}} WHERE day IN (SELECT day FROM slice);
INSERT INTO {{segment_days}}
SELECT day, channel, is_new, sum(orders), sum(charged), sum(tax), sum(shipping), sum(discounts), sum(refunds),
    sum(undated), sum(new_orders), sum(units)
FROM (
    SELECT day, credited AS channel, is_new, orders, charged, tax, shipping, discounts, refunds, undated, new_orders,
        units
    FROM slice_cube
    WHERE by_channel AND credited IS NOT NULL
    UNION ALL
    SELECT e.day, s.channel, e.is_new, e.orders, e.charged, e.tax, e.shipping, e.discounts, e.refunds, e.undated,
        e.new_orders, e.units
    FROM slice_events e JOIN slice_shares s ON s.source = e.source AND s.key = e.key
    WHERE s.model = 'last_touch'
)
GROUP BY day, channel, is_new
ORDER BY day, channel, is_new;

DELETE FROM {{buyers}} WHERE day IN (SELECT day FROM slice);
INSERT INTO {{buyers}}
SELECT e.customer, CAST(md5_number_lower(e.customer) // 16 AS BIGINT), e.day,
    coalesce(s.channel, nullif(e.channel, ''), c.channel, 'unattributed')
FROM slice_events e
LEFT JOIN (SELECT source, key, channel FROM slice_shares WHERE model = 'last_touch') s
    ON s.source = e.source AND s.key = e.key
LEFT JOIN slice_codes c ON c.source = e.source AND c.key = e.key
WHERE e.orders > 0 AND e.is_new AND e.customer <> ''
ORDER BY e.day, e.customer;
