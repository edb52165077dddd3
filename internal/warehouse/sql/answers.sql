-- One row per question, channel that the answer names and, for answers that name none, text of the answer: how many
-- there are, how many of them from new customers, from orders that the store has, and the value of these. Days are those
-- of the answers in the workspace's zone. least is the smallest value of an order, negative for any.
SELECT question, channel, answer_text, count(*) AS answers,
    CAST(sum(CASE WHEN order_day IS NOT NULL AND is_new THEN 1 ELSE 0 END) AS BIGINT) AS new_answers,
    CAST(sum(CASE WHEN order_day IS NOT NULL THEN 1 ELSE 0 END) AS BIGINT) AS known_orders,
    CAST(sum(charged) AS BIGINT) AS sum_charged
FROM (
    SELECT question, channel, CASE WHEN channel <> '' THEN '' ELSE answer END AS answer_text, order_day, is_new, charged
    FROM {{order_answers}}
    WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    AND ($question = '' OR question = $question)
    AND ($contains = '' OR position(lower($contains) IN lower(answer)) > 0)
    AND ($channel = '' OR credited = $channel)
    AND ($least < 0 OR (order_day IS NOT NULL AND charged >= $least))
) AS answers
GROUP BY question, channel, answer_text
ORDER BY question, channel, answer_text
