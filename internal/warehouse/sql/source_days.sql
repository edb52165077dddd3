-- One row per kind of daily facts, source, ad account and day with data, among the requested days. Days of orders and
-- messages are in the workspace's time zone. Days of ads are in the time zones of their accounts. Canceled and test
-- orders are included, because the source delivered them.
-- heavy: reads orders and ad reports.
SELECT 'orders' AS kind, source AS origin, '' AS account_id, '' AS platform_key, day
FROM {{orders}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
GROUP BY source, day
UNION ALL
SELECT 'ads' AS kind, source AS origin, account AS account_id, platform AS platform_key, day
FROM {{ad_days}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
GROUP BY source, account, platform, day
UNION ALL
SELECT 'messages' AS kind, source AS origin, '' AS account_id, '' AS platform_key, day
FROM {{message_days}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
GROUP BY source, day
ORDER BY kind, origin, account_id, platform_key, day
