-- One row per sales surface, region of the customer and day, in the country with the most orders of the period. Days are
-- days of the workspace's zone. Orders without a region have no row, nor have days without orders, nor surfaces of which only
-- totals are known.
-- heavy: reads orders.
SELECT surface, region, day, CAST(sum(charged) AS BIGINT) AS sum_charged
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
