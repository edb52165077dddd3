-- One row per sales surface, region of the customer and day, in the country with the most orders of the period. Days
-- are in the workspace's time zone. Orders without a region, days without orders, and surfaces with daily totals only
-- have no row.
-- heavy: reads orders.
SELECT
    surface, region, day, count(*) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged
FROM {{orders}}
WHERE
    region <> '' AND day >= CAST($first AS DATE) AND day <= CAST($last AS DATE) AND NOT cancelled AND NOT test
    AND country = (
        SELECT country FROM {{geo_days}}
        WHERE region <> '' AND day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
        GROUP BY country
        ORDER BY sum(orders) DESC, country
        LIMIT 1
    )
GROUP BY surface, region, day
ORDER BY surface, region, day
