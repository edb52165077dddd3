-- One row per channel and day. Credits are the platforms' claims; 'unattributed' has the store's total minus all
-- claims. Days are in the workspace's time zone. Days of spend are in the ad account's time zone. spend_rows is 0 where
-- the day's spend is unknown. Empty days have no row. An empty channel selects all.
SELECT
    channel, day,
    CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
    CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
    CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
    CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
    CAST(sum(units) AS BIGINT) AS sum_units, CAST(sum(spend) AS BIGINT) AS sum_spend,
    CAST(sum(spend_rows) AS BIGINT) AS sum_spend_rows
FROM (
    SELECT channel, day, conversions AS orders, value AS charged, 0 AS tax, 0 AS shipping, 0 AS discounts,
        0 AS refunds, 0 AS undated, 0 AS new_orders, 0 AS units, spend, 1 AS spend_rows
    FROM {{spend_days}}
    WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    UNION ALL
    SELECT 'unattributed', day, orders, charged, tax, shipping, discounts, refunds, undated,
        CASE WHEN is_new THEN orders ELSE 0 END, units, 0, 0
    FROM {{store_days}}
    WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    UNION ALL
    SELECT 'unattributed', day, -conversions, -value, 0, 0, 0, 0, 0, 0, 0, 0, 0
    FROM {{spend_days}}
    WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
) AS days
WHERE $channel = '' OR channel = $channel
GROUP BY channel, day
ORDER BY channel, day
