-- One row per question and channel that last touch credits with the orders of those who answered it, of orders that the
-- store has. Days are those of the answers in the workspace's zone. least is the smallest value of an order, negative for
-- any.
SELECT question, credited, count(*) AS answers
FROM {{order_answers}}
WHERE order_day IS NOT NULL AND day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    AND ($question = '' OR question = $question)
    AND ($contains = '' OR position(lower($contains) IN lower(answer)) > 0)
    AND ($channel = '' OR credited = $channel)
    AND ($least < 0 OR (order_day IS NOT NULL AND charged >= $least))
GROUP BY question, credited
ORDER BY question, credited
