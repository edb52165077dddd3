-- One row per window and product sold in it, per SKU and title, because either may be empty: its sales, and the first
-- and last day with a sale. 0 is the recent window, 1 the earlier one. Days are in the workspace's time zone.
SELECT
    period, sku, title, CAST(sum(units) AS BIGINT) AS sum_units, CAST(sum(net) AS BIGINT) AS sum_net,
    CAST(sum(discount) AS BIGINT) AS sum_discount, min(day) AS first_day, max(day) AS last_day
FROM (
    SELECT 0 AS period, sku, title, units, net, discount, day
    FROM {{product_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    UNION ALL
    SELECT 1 AS period, sku, title, units, net, discount, day
    FROM {{product_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
) AS days
GROUP BY period, sku, title
ORDER BY period, sku, title
