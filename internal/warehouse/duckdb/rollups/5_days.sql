-- The roll-ups of the store, its channels and its regions.

-- All events, counted twice in one pass: by day, surface, newness and the channel of orders without touches; and by
-- day and region. An order without touches belongs to the channel that its source names, else to the channel of a
-- mapped coupon, else to nobody; all models agree on it. channel is NULL for orders with touches.
CREATE OR REPLACE TEMP TABLE slice_cube AS
SELECT day, surface, is_new, credited, country, region, GROUPING(country) = 1 AS by_channel,
    sum(orders) AS orders, sum(charged) AS charged, sum(tax) AS tax, sum(shipping) AS shipping,
    sum(discounts) AS discounts, sum(refunds) AS refunds, sum(undated) AS undated, sum(new_orders) AS new_orders,
    sum(units) AS units
FROM (
    SELECT e.*, CASE
            WHEN t.key IS NOT NULL THEN NULL
            WHEN e.channel <> '' THEN e.channel
            ELSE coalesce(c.channel, 'unattributed')
        END AS credited
    FROM slice_events e
    LEFT JOIN slice_touched t ON t.source = e.source AND t.key = e.key
    LEFT JOIN slice_codes c ON c.source = e.source AND c.key = e.key
)
GROUP BY GROUPING SETS ((day, surface, is_new, credited), (day, country, region));

DELETE FROM {{store_days}} WHERE day IN (SELECT day FROM slice);
INSERT INTO {{store_days}}
SELECT day, surface, is_new, sum(orders), sum(charged), sum(tax), sum(shipping), sum(discounts), sum(refunds),
    sum(undated), sum(units)
FROM slice_cube
WHERE by_channel
GROUP BY day, surface, is_new
ORDER BY day, surface, is_new;

DELETE FROM {{geo_days}} WHERE day IN (SELECT day FROM slice);
INSERT INTO {{geo_days}}
SELECT day, country, region, orders, charged, refunds, new_orders, units
FROM slice_cube
WHERE NOT by_channel
ORDER BY day, country, region;

DELETE FROM {{credit_days}} WHERE day IN (SELECT day FROM slice);
INSERT INTO {{credit_days}}
SELECT day, model, channel, sum(orders), sum(charged), sum(tax), sum(shipping), sum(discounts), sum(refunds),
    sum(undated), sum(new_orders), sum(units)
FROM (
    SELECT e.day, s.model, s.channel,
        share(e.orders, s.lower, s.upper, s.whole) AS orders, share(e.charged, s.lower, s.upper, s.whole) AS charged,
        share(e.tax, s.lower, s.upper, s.whole) AS tax, share(e.shipping, s.lower, s.upper, s.whole) AS shipping,
        share(e.discounts, s.lower, s.upper, s.whole) AS discounts,
        share(e.refunds, s.lower, s.upper, s.whole) AS refunds,
        share(e.undated, s.lower, s.upper, s.whole) AS undated,
        share(e.new_orders, s.lower, s.upper, s.whole) AS new_orders,
        share(e.units, s.lower, s.upper, s.whole) AS units
    FROM slice_events e JOIN slice_shares s ON s.source = e.source AND s.key = e.key
    UNION ALL
    SELECT c.day, m.model, c.credited, c.orders, c.charged, c.tax, c.shipping, c.discounts, c.refunds, c.undated,
        c.new_orders, c.units
    FROM slice_cube c
    CROSS JOIN (VALUES ('last_touch'), ('first_touch'), ('linear'), ('time_decay'), ('position_based')) m(model)
    WHERE c.by_channel AND c.credited IS NOT NULL
)
GROUP BY day, model, channel
ORDER BY day, model, channel;
