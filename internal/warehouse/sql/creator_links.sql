-- One row per window, creator and kind of link (vanity or referral) in use: clicks, and the orders and revenue that the
-- link tool counts. The orders are anonymous, so the orders of codes and surveys may include them. 0 is the recent
-- window, 1 the earlier one.
SELECT
    period, creator, kind, CAST(sum(clicks) AS BIGINT) AS sum_clicks, CAST(sum(orders) AS BIGINT) AS sum_orders,
    CAST(sum(revenue) AS BIGINT) AS sum_revenue
FROM (
    SELECT 0 AS period, creator, kind, clicks, orders, revenue
    FROM {{link_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    UNION ALL
    SELECT 1, creator, kind, clicks, orders, revenue
    FROM {{link_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
) AS days
GROUP BY period, creator, kind
ORDER BY period, creator, kind
