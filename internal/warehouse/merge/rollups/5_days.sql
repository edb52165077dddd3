-- The roll-ups of the store, its channels and its regions.

-- The slice's orders, counted by their dimensions in roll-ups. code_channel is NULL for orders without a mapped
-- coupon.
CREATE OR REPLACE TEMP TABLE slice_counts AS
SELECT o.day, o.kind, o.place, CASE WHEN o.customer <> '' THEN c.key IS NOT NULL END AS is_new, t.key IS NOT NULL AS touched,
    s.channel AS code_channel, 1000000 * count(*) AS orders, sum(o.charged) AS charged, sum(o.tax) AS tax,
    sum(o.shipping) AS shipping, sum(o.discounts) AS discounts, sum(o.units) AS units
FROM {{order_rows}} o
JOIN {{order_kinds}} k ON k.kind = o.kind
LEFT JOIN (SELECT kind, key FROM {{customers}} WHERE in_slice(day)) c
    ON c.kind = o.kind AND c.key = o.key
LEFT JOIN slice_touched t ON t.source = k.source AND t.key = o.key
LEFT JOIN slice_codes s ON s.source = k.source AND s.key = o.key
WHERE NOT k.cancelled AND NOT k.test AND in_slice(o.day)
GROUP BY ALL;

-- Daily totals of surfaces without orders, with first orders in separate rows. If the store has orders of the surface
-- on the day, the total is ignored. The customers of other orders and of refunds are unknown.
CREATE OR REPLACE TEMP TABLE slice_surfaces AS
SELECT t.day, t.surface, t.country, t.region, nullif(t.is_new, false) AS is_new,
    share(1000000 * t.orders, t.lower, t.upper, t.whole) AS orders, share(t.charged, t.lower, t.upper, t.whole) AS charged,
    share(t.tax, t.lower, t.upper, t.whole) AS tax, share(t.shipping, t.lower, t.upper, t.whole) AS shipping,
    share(t.discounts, t.lower, t.upper, t.whole) AS discounts, CASE WHEN t.is_new THEN 0 ELSE t.refunds END AS refunds,
    share(t.units, t.lower, t.upper, t.whole) AS units
FROM (
    SELECT d.*, n.is_new, greatest(d.orders, 1) AS whole, CASE WHEN n.is_new THEN 0 ELSE d.new_orders END AS lower,
        CASE WHEN n.is_new THEN d.new_orders ELSE greatest(d.orders, 1) END AS upper
    FROM {{surface_days}} d
    CROSS JOIN (VALUES (true), (false)) n(is_new)
    WHERE in_slice(d.day) AND (d.new_orders > 0 OR NOT n.is_new)
) t
ANTI JOIN (
    SELECT DISTINCT c.day, k.surface FROM slice_counts c JOIN {{order_kinds}} k ON k.kind = c.kind
) o ON o.day = t.day AND o.surface = t.surface;

-- All events, summed twice: by day, surface, newness and the channel of orders without touches; and by day and region.
-- An order without touches belongs to the channel that its source names, else to the channel of a mapped coupon, else
-- it is unattributed. This rule is the same in all models. credited is NULL for orders with touches.
CREATE OR REPLACE TEMP TABLE slice_cube AS
SELECT day, surface, is_new, credited, country, region, GROUPING(country) = 1 AS by_channel,
    sum(orders) AS orders, sum(charged) AS charged, sum(tax) AS tax, sum(shipping) AS shipping,
    sum(discounts) AS discounts, sum(refunds) AS refunds, sum(undated) AS undated, sum(new_orders) AS new_orders,
    sum(units) AS units
FROM (
    SELECT o.day, k.surface, o.is_new, p.country, p.region,
        CASE
            WHEN o.touched THEN NULL
            WHEN k.channel <> '' THEN k.channel
            ELSE coalesce(o.code_channel, 'unattributed')
        END AS credited,
        o.orders, o.charged, o.tax, o.shipping, o.discounts, 0 AS refunds, 0 AS undated,
        CASE WHEN o.is_new THEN o.orders ELSE 0 END AS new_orders, o.units
    FROM slice_counts o
    JOIN {{order_kinds}} k ON k.kind = o.kind
    JOIN {{order_places}} p ON p.place = o.place
    UNION ALL
    SELECT r.day, r.surface, r.is_new, r.country, r.region,
        CASE
            WHEN t.key IS NOT NULL THEN NULL
            WHEN r.channel <> '' THEN r.channel
            ELSE coalesce(s.channel, 'unattributed')
        END,
        0, 0, 0, 0, 0, r.refunds, r.undated, 0, 0
    FROM slice_refunds r
    LEFT JOIN slice_touched t ON t.source = r.source AND t.key = r.key
    LEFT JOIN slice_codes s ON s.source = r.source AND s.key = r.key
    UNION ALL
    SELECT day, surface, is_new, country, region, 'unattributed', orders, charged, tax, shipping, discounts, refunds, 0,
        CASE WHEN is_new THEN orders ELSE 0 END, units
    FROM slice_surfaces
)
GROUP BY GROUPING SETS ((day, surface, is_new, credited), (day, country, region));

DELETE FROM {{store_days}} WHERE in_slice(day);
INSERT INTO {{store_days}}
SELECT day, surface, is_new, sum(orders), sum(charged), sum(tax), sum(shipping), sum(discounts), sum(refunds),
    sum(undated), sum(units)
FROM slice_cube
WHERE by_channel
GROUP BY day, surface, is_new
ORDER BY day, surface, is_new;

DELETE FROM {{geo_days}} WHERE in_slice(day);
INSERT INTO {{geo_days}}
SELECT day, country, region, orders, charged, refunds, new_orders, units
FROM slice_cube
WHERE NOT by_channel
ORDER BY day, country, region;

DELETE FROM {{credit_days}} WHERE in_slice(day);
INSERT INTO {{credit_days}}
SELECT day, model, channel, sum(orders), sum(charged), sum(tax), sum(shipping), sum(discounts), sum(refunds),
    sum(undated), sum(new_orders), sum(units)
FROM (
    SELECT day, model, channel, orders, charged, tax, shipping, discounts, refunds, undated, new_orders, units
    FROM slice_credit
    UNION ALL
    SELECT c.day, m.model, c.credited, c.orders, c.charged, c.tax, c.shipping, c.discounts, c.refunds, c.undated,
        c.new_orders, c.units
    FROM slice_cube c
    CROSS JOIN (VALUES ('last_touch'), ('first_touch'), ('linear'), ('time_decay'), ('position_based')) m(model)
    WHERE c.by_channel AND c.credited IS NOT NULL
)
GROUP BY day, model, channel
ORDER BY day, model, channel;
