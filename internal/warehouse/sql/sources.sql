-- One row per kind of fact, source and, for ad reports, account and platform. Days are NULL for kinds of facts without
-- days. The source of targets is 'targets'.
-- heavy: reads all facts.
SELECT 'orders' AS kind, 'orders' AS fact, source AS origin, '' AS account_id, '' AS platform_key, count(*) AS fact_rows,
    min(day) AS first_day, max(day) AS last_day
FROM {{orders}}
GROUP BY source
UNION ALL
SELECT 'ads' AS kind, 'ad_days' AS fact, source AS origin, account AS account_id, platform AS platform_key, count(*) AS fact_rows,
    min(day) AS first_day, max(day) AS last_day
FROM {{ad_days}}
GROUP BY source, account, platform
UNION ALL
SELECT 'spend' AS kind, 'channel_spend' AS fact, source AS origin, '' AS account_id, '' AS platform_key, count(*) AS fact_rows,
    min(day) AS first_day, max(day) AS last_day
FROM {{channel_spend}}
GROUP BY source
UNION ALL
SELECT 'messages' AS kind, 'message_days' AS fact, source AS origin, '' AS account_id, '' AS platform_key, count(*) AS fact_rows,
    min(day) AS first_day, max(day) AS last_day
FROM {{message_days}}
GROUP BY source
UNION ALL
SELECT 'surveys' AS kind, 'survey_responses' AS fact, source AS origin, '' AS account_id, '' AS platform_key, count(*) AS fact_rows,
    min(day) AS first_day, max(day) AS last_day
FROM {{survey_responses}}
GROUP BY source
UNION ALL
SELECT 'creators' AS kind, 'creators' AS fact, source AS origin, '' AS account_id, '' AS platform_key, count(*) AS fact_rows,
    CAST(NULL AS DATE) AS first_day, CAST(NULL AS DATE) AS last_day
FROM {{creators}}
GROUP BY source
UNION ALL
SELECT 'customers' AS kind, 'profiles' AS fact, source AS origin, '' AS account_id, '' AS platform_key, count(*) AS fact_rows,
    min(since) AS first_day, max(since) AS last_day
FROM {{profiles}}
GROUP BY source
UNION ALL
SELECT 'catalogue' AS kind, 'products' AS fact, source AS origin, '' AS account_id, '' AS platform_key, count(*) AS fact_rows,
    CAST(NULL AS DATE) AS first_day, CAST(NULL AS DATE) AS last_day
FROM {{products}}
GROUP BY source
UNION ALL
SELECT 'surfaces' AS kind, 'surface_days' AS fact, source AS origin, '' AS account_id, '' AS platform_key, count(*) AS fact_rows,
    min(day) AS first_day, max(day) AS last_day
FROM {{surface_days}}
GROUP BY source
UNION ALL
SELECT 'targets' AS kind, 'targets' AS fact, 'targets' AS origin, '' AS account_id, '' AS platform_key, count(*) AS fact_rows,
    min(start_day) AS first_day, max(start_day) AS last_day
FROM {{targets}}
HAVING count(*) > 0
UNION ALL
SELECT 'rates' AS kind, 'fx_rates' AS fact, source AS origin, '' AS account_id, '' AS platform_key, count(*) AS fact_rows,
    min(day) AS first_day, max(day) AS last_day
FROM {{fx_rates}}
GROUP BY source
ORDER BY kind, origin, account_id, platform_key
