-- One row per question and named channel, and per text of answers that name no channel: the number of answers, the
-- numbers from new and from returning customers, the number with an order in the store, and the value of these orders.
-- Days are the days of the answers, in the workspace's time zone. least is the minimum value of an order; a negative
-- number means any value. Only a minimum needs a scan of individual answers.
SELECT question, channel, CASE WHEN channel <> '' THEN '' ELSE answer END AS answer_text,
    CAST(sum(answers) AS BIGINT) AS all_answers,
    CAST(sum(CASE WHEN known AND is_new THEN answers ELSE 0 END) AS BIGINT) AS new_answers,
    CAST(sum(CASE WHEN known AND NOT is_new THEN answers ELSE 0 END) AS BIGINT) AS returning_answers,
    CAST(sum(CASE WHEN known THEN answers ELSE 0 END) AS BIGINT) AS known_orders,
    CAST(sum(charged) AS BIGINT) AS sum_charged
FROM (
    SELECT day, known, question, answer, channel, is_new, credited, answers, charged
    FROM {{answer_days}}
    WHERE $least < 0
    UNION ALL
    SELECT day, true, question, answer, channel, is_new, credited, 1, charged
    FROM {{order_answers}}
    WHERE $least >= 0 AND order_day IS NOT NULL AND charged >= $least
) AS given
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    AND ($question = '' OR question = $question)
    AND ($contains = '' OR position(lower($contains) IN lower(answer)) > 0)
    AND ($channel = '' OR credited = $channel)
GROUP BY question, channel, CASE WHEN channel <> '' THEN '' ELSE answer END
ORDER BY question, channel, answer_text
