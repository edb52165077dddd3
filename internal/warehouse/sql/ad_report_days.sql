-- One row per ad account and day with a report, in the account's time zone.
-- heavy: reads all ad reports.
SELECT source, platform, account, day
FROM {{ad_days}}
GROUP BY source, platform, account, day
ORDER BY source, platform, account, day
