-- One row per window, creator and signals that identify the creator's orders: code, survey or both. An order is in one
-- row. The creator '' has the orders of the online store without a creator. 0 is the recent window, 1 the earlier one.
-- Days are in the workspace's time zone. Orders are millionths; touched is the number of orders with the channel
-- influencer or creator in their path.
SELECT
    period, creator, by_code, by_survey, CAST(sum(touched) AS BIGINT) AS sum_touched,
    CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
    CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
    CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
    CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
    CAST(sum(units) AS BIGINT) AS sum_units
FROM (
    SELECT 0 AS period, creator, by_code, by_survey, touched, orders, charged, tax, shipping, discounts,
        refunds, undated, new_orders, units
    FROM {{creator_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    UNION ALL
    SELECT 1, creator, by_code, by_survey, touched, orders, charged, tax, shipping, discounts,
        refunds, undated, new_orders, units
    FROM {{creator_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
) AS days
GROUP BY period, creator, by_code, by_survey
ORDER BY period, creator, by_code, by_survey
