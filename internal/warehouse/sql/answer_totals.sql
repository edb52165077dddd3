-- One row per window: the number of selected answers, the number of these that name a channel, and the number of orders
-- with any answer, regardless of the selection. 0 is the recent window, 1 the earlier one. A window without answers has
-- no row. Days are the days of the answers, in the workspace's time zone. least is the minimum value of an order; a
-- negative number means any value. An answer without an order in the store has no value. Only a minimum needs a scan of
-- individual answers.
SELECT period, CAST(sum(answers) AS BIGINT) AS answered,
    CAST(sum(CASE WHEN selected THEN answers ELSE 0 END) AS BIGINT) AS sum_selected,
    CAST(sum(CASE WHEN selected AND channel <> '' THEN answers ELSE 0 END) AS BIGINT) AS sum_named,
    CAST(sum(leads) AS BIGINT) AS sum_led
FROM (
    SELECT CASE WHEN day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE) THEN 0 ELSE 1 END AS period,
        channel, answers, leads,
        ($question = '' OR question = $question)
            AND ($contains = '' OR position(lower($contains) IN lower(answer)) > 0)
            AND ($channel = '' OR credited = $channel)
            AND ($least < 0 OR (known AND charged >= $least)) AS selected
    FROM (
        SELECT day, known, question, answer, channel, credited, answers, leads, charged
        FROM {{answer_days}}
        WHERE $least < 0
        UNION ALL
        SELECT day, order_day IS NOT NULL, question, answer, channel, credited, 1, CASE WHEN leads THEN 1 ELSE 0 END, charged
        FROM {{order_answers}}
        WHERE $least >= 0
    ) AS given
    WHERE (day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE))
        OR (day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE))
) AS answers
GROUP BY period
