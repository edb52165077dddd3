-- One row per channel and day: credits by the model, and spend. Days are in the workspace's time zone. Days of spend
-- are in the ad account's time zone. spend_rows is 0 where the day's spend is unknown. Empty days have no row. An empty
-- channel selects all.
SELECT
    channel, day,
    CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
    CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
    CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
    CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
    CAST(sum(units) AS BIGINT) AS sum_units, CAST(sum(spend) AS BIGINT) AS sum_spend,
    CAST(sum(spend_rows) AS BIGINT) AS sum_spend_rows
FROM (
    SELECT channel, day, orders, charged, tax, shipping, discounts, refunds, undated, new_orders, units,
        0 AS spend, 0 AS spend_rows
    FROM {{credit_days}}
    WHERE model = $model AND day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
        AND ($channel = '' OR channel = $channel)
    UNION ALL
    SELECT channel, day, 0, 0, 0, 0, 0, 0, 0, 0, 0, spend, 1
    FROM {{spend_days}}
    WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
        AND ($channel = '' OR channel = $channel)
) AS days
GROUP BY channel, day
ORDER BY channel, day
