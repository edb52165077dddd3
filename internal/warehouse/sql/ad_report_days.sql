-- One row per ad account and day on which it reported anything, by the account's own days.
-- heavy: reads all ad reports.
SELECT source, platform, account, day
FROM {{ad_days}}
GROUP BY source, platform, account, day
ORDER BY source, platform, account, day
