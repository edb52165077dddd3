-- One row per window: the orders with touches and their refunds, and how many touches and seconds they took, all journeys
-- together. 0 is the recent window, 1 the earlier one. Days are days of the workspace's zone; refunds count on their own.
-- segment is new, returning or empty for both; met is a channel between two of the separators, which selects the
-- journeys that have it, or empty for all.
SELECT
    period,
    CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
    CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
    CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
    CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
    CAST(sum(units) AS BIGINT) AS sum_units,
    CAST(sum(touches) AS BIGINT) AS sum_touches, CAST(sum(seconds) AS BIGINT) AS sum_seconds
FROM (
    SELECT 0 AS period, orders, charged, tax, shipping, discounts, refunds, undated, new_orders, units, touches, seconds
    FROM {{path_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
        AND ($segment = '' OR is_new = ($segment = 'new'))
        AND ($met = '' OR position($met IN concat($separator, path, $separator)) > 0)
    UNION ALL
    SELECT 1, orders, charged, tax, shipping, discounts, refunds, undated, new_orders, units, touches, seconds
    FROM {{path_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
        AND ($segment = '' OR is_new = ($segment = 'new'))
        AND ($met = '' OR position($met IN concat($separator, path, $separator)) > 0)
) AS days
GROUP BY period
ORDER BY period
