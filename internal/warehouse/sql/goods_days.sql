-- One row per day with order lines, by the orders' days in the workspace's time zone. costed is the number of units
-- with a known cost, costed_net is the amount charged for them, and cost is their cost of goods. If only some of a
-- product's units on a day have a known cost, costed_net is their share of the net amount.
SELECT
    day, CAST(sum(units) AS BIGINT) AS sum_units, CAST(sum(net) AS BIGINT) AS sum_net,
    CAST(sum(costed) AS BIGINT) AS sum_costed,
    CAST(sum(
        CASE
            WHEN costed = 0 THEN 0
            WHEN costed = units THEN net
            ELSE CAST(round(CAST(net AS DOUBLE) * costed / units) AS BIGINT)
        END
    ) AS BIGINT) AS sum_costed_net,
    CAST(sum(cost) AS BIGINT) AS sum_cost
FROM {{product_days}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
GROUP BY day
ORDER BY day
