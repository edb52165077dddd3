-- One row per window, channel and roll-up, for two adjacent windows: the earlier one ends the day before the recent one
-- begins, so each roll-up is read once. The first roll-up has the credits by the model. The second has spend and claims
-- from reports and manual entries. The caller adds them, which is cheaper than a second pass in the database. 0 is the
-- recent window, 1 the earlier one. Days are in the workspace's time zone. Days of spend are in the ad account's time
-- zone. sum_spend_rows is 0 where no report and no entry covers the channel: its spend is unknown, not zero.
SELECT
    CASE WHEN day >= CAST($recent_first AS DATE) THEN 0 ELSE 1 END AS period, channel,
    CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
    CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
    CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
    CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
    CAST(sum(units) AS BIGINT) AS sum_units, 0 AS sum_spend, 0 AS sum_spend_rows, 0 AS sum_impressions,
    0 AS sum_clicks, 0 AS sum_claimed, 0 AS sum_claimed_value
FROM {{credit_days}}
WHERE model = $model AND day >= CAST($earlier_first AS DATE) AND day <= CAST($recent_last AS DATE)
GROUP BY period, channel
UNION ALL
SELECT
    CASE WHEN day >= CAST($recent_first AS DATE) THEN 0 ELSE 1 END AS period, channel, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    CAST(sum(spend) AS BIGINT), count(*), CAST(sum(impressions) AS BIGINT), CAST(sum(clicks) AS BIGINT),
    CAST(sum(conversions) AS BIGINT), CAST(sum(value) AS BIGINT)
FROM {{spend_days}}
WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($recent_last AS DATE)
GROUP BY period, channel
