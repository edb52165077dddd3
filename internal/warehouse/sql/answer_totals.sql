-- One row per window: the answers of the selection, those of them that name a channel, and the orders, of all that were
-- answered, whatever was selected. 0 is the recent window, 1 the earlier one; a window without answers has no row. Days
-- are those of the answers in the workspace's zone. least is the smallest value of an order, negative for any; an answer
-- whose order the store does not have has none.
SELECT period, count(*) AS answered, CAST(sum(selected) AS BIGINT) AS sum_selected,
    CAST(sum(selected * named) AS BIGINT) AS sum_named, CAST(sum(led) AS BIGINT) AS sum_led
FROM (
    SELECT CASE WHEN day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE) THEN 0 ELSE 1 END AS period,
        CASE WHEN ($question = '' OR question = $question)
    AND ($contains = '' OR position(lower($contains) IN lower(answer)) > 0)
    AND ($channel = '' OR credited = $channel)
    AND ($least < 0 OR (order_day IS NOT NULL AND charged >= $least))
            THEN 1 ELSE 0 END AS selected,
        CASE WHEN channel <> '' THEN 1 ELSE 0 END AS named,
        CASE WHEN leads THEN 1 ELSE 0 END AS led
    FROM {{order_answers}}
    WHERE (day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE))
        OR (day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE))
) AS answers
GROUP BY period
