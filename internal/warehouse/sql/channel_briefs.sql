-- One row per window, channel and roll-up, for two adjacent windows, as in channel_totals_adjacent, with the figures of
-- a summary. A statement is planned again each time its values change, so its cost depends on the number of columns.
-- Grouping by a comparison costs less than grouping by a CASE. Days are in the workspace's time zone. Days of spend are
-- in the ad account's time zone. sum_spend_rows is 0 where no report and no entry covers the channel: its spend is
-- unknown, not zero.
SELECT
    day < CAST($recent_first AS DATE) AS earlier, channel,
    CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
    CAST(sum(refunds) AS BIGINT) AS sum_refunds, CAST(sum(undated) AS BIGINT) AS sum_undated, 0 AS sum_spend,
    0 AS sum_spend_rows
FROM {{credit_days}}
WHERE model = $model AND day BETWEEN CAST($earlier_first AS DATE) AND CAST($recent_last AS DATE)
GROUP BY earlier, channel
UNION ALL
SELECT
    day < CAST($recent_first AS DATE) AS earlier, channel, 0, 0, 0, 0,
    CAST(sum(spend) AS BIGINT), count(*)
FROM {{spend_days}}
WHERE day BETWEEN CAST($earlier_first AS DATE) AND CAST($recent_last AS DATE)
GROUP BY earlier, channel
