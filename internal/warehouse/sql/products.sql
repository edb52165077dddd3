-- One row per product sold in the window: per SKU and title, because either may be empty. Days are the orders' days in
-- the workspace's time zone. costed is the number of units with a known cost; the cost of the other units is unknown,
-- not zero.
SELECT
    sku, title, CAST(sum(units) AS BIGINT) AS sum_units, CAST(sum(orders) AS BIGINT) AS sum_orders,
    CAST(sum(net) AS BIGINT) AS sum_net, CAST(sum(discount) AS BIGINT) AS sum_discount,
    CAST(sum(cost) AS BIGINT) AS sum_cost, CAST(sum(costed) AS BIGINT) AS sum_costed
FROM {{product_days}}
WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
GROUP BY sku, title
ORDER BY
    CASE
        WHEN $sort = 'units' THEN CAST(sum_units AS DOUBLE)
        WHEN $sort = 'aov' THEN CAST(sum_net AS DOUBLE) / sum_orders
        ELSE CAST(sum_net AS DOUBLE)
    END DESC,
    sku, title
LIMIT $limit OFFSET $offset
