-- One row per number of orders that a journey ended with, the largest first: how many journeys ended with so many, and between
-- which numbers of journeys these lie. Days are days of the workspace's zone. segment is new, returning or empty for both.
SELECT ended, count(*) AS paths, min(path) AS lowest, max(path) AS highest
FROM (
    SELECT path, CAST(sum(orders) AS BIGINT) AS ended
    FROM {{path_days}}
    WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
        AND ($segment = '' OR is_new = ($segment = 'new'))
    GROUP BY path
) AS journeys
WHERE ended <> 0
GROUP BY ended
ORDER BY ended DESC
