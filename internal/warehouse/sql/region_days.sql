-- One row per day and region of the customer, in the country with the most orders of the period. Days are in the
-- workspace's time zone. Orders are millionths. Orders without a region and days without orders have no row.
SELECT day, region, CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged
FROM {{geo_days}}
WHERE
    region <> '' AND day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    AND country = (
        SELECT country FROM {{geo_days}}
        WHERE region <> '' AND day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
        GROUP BY country
        ORDER BY sum(orders) DESC, country
        LIMIT 1
    )
GROUP BY day, region
ORDER BY day, region
