-- One row per day and region on which a report knows that the channel spent. Days are days of the ad account.
SELECT day, region, CAST(sum(spend) AS BIGINT) AS sum_spend
FROM {{geo_spend_days}}
WHERE channel = $channel AND region <> '' AND day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
GROUP BY day, region
ORDER BY day, region
