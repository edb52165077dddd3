-- One row per region in which a report knows what the channel spent in the period. Days are days of the ad account.
SELECT region, CAST(sum(spend) AS BIGINT) AS sum_spend
FROM {{geo_spend_days}}
WHERE channel = $channel AND region <> '' AND day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
GROUP BY region
ORDER BY region
