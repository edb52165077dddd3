-- The totals of creators, and of the online store without them: the total minus the creators' orders. Most orders
-- have no creator, so they are not read individually.
DELETE FROM {{creator_days}} WHERE in_slice(day);
INSERT INTO {{creator_days}}
SELECT day, creator, by_code, by_survey, sum(orders), sum(touched), sum(charged), sum(tax), sum(shipping),
    sum(discounts), sum(refunds), sum(undated), sum(new_orders), sum(units)
FROM (
    SELECT day, creator, by_code, by_survey, orders, CASE WHEN met THEN orders ELSE 0 END AS touched, charged, tax,
        shipping, discounts, refunds, undated, new_orders, units
    FROM slice_tied
    WHERE creator IS NOT NULL
    UNION ALL
    SELECT day, '', false, false, orders, 0, charged, tax, shipping, discounts, refunds, undated, new_orders, units
    FROM slice_cube
    WHERE by_channel AND surface = 'online_store'
    UNION ALL
    SELECT day, '', false, false, -orders, 0, -charged, -tax, -shipping, -discounts, -refunds, -undated, -new_orders,
        -units
    FROM slice_tied
    WHERE creator IS NOT NULL AND surface = 'online_store'
    UNION ALL
    SELECT day, '', false, false, 0, orders, 0, 0, 0, 0, 0, 0, 0, 0
    FROM slice_tied
    WHERE creator IS NULL AND surface = 'online_store'
)
GROUP BY day, creator, by_code, by_survey
HAVING creator <> '' OR sum(orders) <> 0 OR sum(refunds) <> 0 OR sum(undated) <> 0
ORDER BY day, creator, by_code, by_survey;
