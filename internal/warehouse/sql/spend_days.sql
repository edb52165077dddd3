-- One row per channel and day with a report or an entry of spend. Days are in the ad account's time zone. On a day
-- without a row, spend is unknown.
SELECT channel, day, CAST(sum(spend) AS BIGINT) AS sum_spend
FROM {{spend_days}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
GROUP BY channel, day
ORDER BY channel, day
