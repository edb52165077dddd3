-- One row per window and channel. Credits are the platforms' claims; 'unattributed' has the store's total minus all
-- claims, which is negative if platforms claim more. 0 is the recent window, 1 the earlier one. Days are in the
-- workspace's time zone. Days of spend are in the ad account's time zone. spend_rows is 0 where no report and no entry
-- covers the channel: its spend is unknown, not zero.
SELECT
    period, channel,
    CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
    CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
    CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
    CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
    CAST(sum(units) AS BIGINT) AS sum_units, CAST(sum(spend) AS BIGINT) AS sum_spend,
    CAST(sum(spend_rows) AS BIGINT) AS sum_spend_rows, CAST(sum(impressions) AS BIGINT) AS sum_impressions,
    CAST(sum(clicks) AS BIGINT) AS sum_clicks, CAST(sum(claimed) AS BIGINT) AS sum_claimed,
    CAST(sum(claimed_value) AS BIGINT) AS sum_claimed_value
FROM (
    SELECT 0 AS period, channel, conversions AS orders, value AS charged, 0 AS tax, 0 AS shipping, 0 AS discounts,
        0 AS refunds, 0 AS undated, 0 AS new_orders, 0 AS units, spend, 1 AS spend_rows, impressions, clicks,
        conversions AS claimed, value AS claimed_value
    FROM {{spend_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    UNION ALL
    SELECT 0, 'unattributed', orders, charged, tax, shipping, discounts, refunds, undated,
        CASE WHEN is_new THEN orders ELSE 0 END, units, 0, 0, 0, 0, 0, 0
    FROM {{store_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    UNION ALL
    SELECT 0, 'unattributed', -conversions, -value, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    FROM {{spend_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    UNION ALL
    SELECT 1, channel, conversions, value, 0, 0, 0, 0, 0, 0, 0, spend, 1, impressions, clicks, conversions, value
    FROM {{spend_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
    UNION ALL
    SELECT 1, 'unattributed', orders, charged, tax, shipping, discounts, refunds, undated,
        CASE WHEN is_new THEN orders ELSE 0 END, units, 0, 0, 0, 0, 0, 0
    FROM {{store_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
    UNION ALL
    SELECT 1, 'unattributed', -conversions, -value, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    FROM {{spend_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
) AS days
GROUP BY period, channel
ORDER BY period, channel
