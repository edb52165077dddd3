-- One row per window and creator with costs in it: fees, commissions and gifts, by booking day. 0 is the recent
-- window, 1 the earlier one. A creator without a row has an unknown cost, not a cost of zero.
SELECT period, creator, CAST(sum(amount) AS BIGINT) AS sum_amount
FROM (
    SELECT 0 AS period, creator, amount
    FROM {{creator_costs}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    UNION ALL
    SELECT 1, creator, amount
    FROM {{creator_costs}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
) AS days
GROUP BY period, creator
ORDER BY period, creator
