-- One row per window: the totals of all products sold in it, their number, and the orders with any product, each
-- counted once. 0 is the recent window, 1 the earlier one. A window without sales has no row.
SELECT
    period, CAST(sum(products) AS BIGINT) AS sum_products, CAST(sum(units) AS BIGINT) AS sum_units,
    CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(net) AS BIGINT) AS sum_net,
    CAST(sum(discount) AS BIGINT) AS sum_discount, CAST(sum(cost) AS BIGINT) AS sum_cost,
    CAST(sum(costed) AS BIGINT) AS sum_costed
FROM (
    SELECT 0 AS period, 1 AS products, sum(units) AS units, 0 AS orders, sum(net) AS net, sum(discount) AS discount,
        sum(cost) AS cost, sum(costed) AS costed
    FROM {{product_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    GROUP BY sku, title
    UNION ALL
    SELECT 0, 0, 0, orders, 0, 0, 0, 0
    FROM {{lined_order_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    UNION ALL
    SELECT 1, 1, sum(units), 0, sum(net), sum(discount), sum(cost), sum(costed)
    FROM {{product_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
    GROUP BY sku, title
    UNION ALL
    SELECT 1, 0, 0, orders, 0, 0, 0, 0
    FROM {{lined_order_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
) AS parts
GROUP BY period
