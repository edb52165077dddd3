-- One row per question and channel: the orders of respondents that last touch credits to the channel, among orders in
-- the store. Days are the days of the answers, in the workspace's time zone. least is the minimum value of an order; a
-- negative number means any value. Only a minimum needs a scan of individual answers.
SELECT question, credited, CAST(sum(answers) AS BIGINT) AS all_answers
FROM (
    SELECT day, question, answer, credited, answers
    FROM {{answer_days}}
    WHERE $least < 0 AND known
    UNION ALL
    SELECT day, question, answer, credited, 1
    FROM {{order_answers}}
    WHERE $least >= 0 AND order_day IS NOT NULL AND charged >= $least
) AS given
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    AND ($question = '' OR question = $question)
    AND ($contains = '' OR position(lower($contains) IN lower(answer)) > 0)
    AND ($channel = '' OR credited = $channel)
GROUP BY question, credited
ORDER BY question, credited
