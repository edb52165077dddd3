-- One row per number of orders of a conversion path with a channel, largest first: the number of paths with that many
-- orders, and the range of their numbers. Days are in the workspace's time zone. segment is new, returning or empty
-- for both; met is the channel between two separators.
SELECT ended, count(*) AS paths, min(path) AS lowest, max(path) AS highest
FROM (
    SELECT path, CAST(sum(orders) AS BIGINT) AS ended
    FROM {{path_days}}
    WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
        AND ($segment = '' OR is_new = ($segment = 'new'))
        AND path IN (SELECT path FROM {{path_names}} WHERE position($met IN concat($separator, name, $separator)) > 0)
    GROUP BY path
) AS journeys
WHERE ended <> 0
GROUP BY ended
ORDER BY ended DESC
