-- One row per ad account and day on which it reported anything, by the account's own days.
SELECT source, account, day
FROM {{ad_days}}
GROUP BY source, account, day
ORDER BY source, account, day
