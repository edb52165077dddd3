-- One row per channel with last-touch credit or spend. Orders are millionths. platform is '' where no ad report names
-- the channel. Days are the first and the last day with credit or spend.
SELECT
    channel, max(platform) AS platform, CAST(sum(orders) AS BIGINT) AS credited,
    CAST(sum(charged) AS BIGINT) AS sum_charged, CAST(sum(spend) AS BIGINT) AS sum_spend,
    count(DISTINCT spend_day) AS spend_days, min(day) AS first_day, max(day) AS last_day
FROM (
    SELECT day, channel, '' AS platform, orders, charged, 0 AS spend, NULL AS spend_day
    FROM {{credit_days}}
    WHERE model = 'last_touch'
    UNION ALL
    SELECT day, channel, platform, 0, 0, spend, day
    FROM {{spend_days}}
) AS days
GROUP BY channel
ORDER BY channel
