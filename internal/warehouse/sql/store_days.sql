-- One row per day of the workspace's time zone: the store's totals, and the spend of all channels. spend_rows is 0
-- where the day's spend is unknown. Empty days have no row.
SELECT
    day,
    CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
    CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
    CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
    CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
    CAST(sum(units) AS BIGINT) AS sum_units, CAST(sum(spend) AS BIGINT) AS sum_spend,
    CAST(sum(spend_rows) AS BIGINT) AS sum_spend_rows
FROM (
    SELECT day, orders, charged, tax, shipping, discounts, refunds, undated,
        CASE WHEN is_new THEN orders ELSE 0 END AS new_orders, units, 0 AS spend, 0 AS spend_rows
    FROM {{store_days}}
    WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    UNION ALL
    SELECT day, 0, 0, 0, 0, 0, 0, 0, 0, 0, spend, 1
    FROM {{spend_days}}
    WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
) AS days
GROUP BY day
ORDER BY day
