-- One row per question and channel that last touch credits with the orders of those who answered it, of orders that the
-- store has. Days are those of the answers in the workspace's zone. least is the smallest value of an order, negative for
-- any; only that is looked for answer by answer.
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
