-- One row per day and region with reported spend of the channel. Days are in the ad account's time zone.
SELECT day, region, CAST(sum(spend) AS BIGINT) AS sum_spend
FROM {{geo_spend_days}}
WHERE channel = $channel AND region <> '' AND day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
GROUP BY day, region
ORDER BY day, region
