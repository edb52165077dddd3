-- One row per answer, latest first. Days are the days of the answers, in the workspace's time zone. charged is the
-- value of the order. known is 0 if the order is not in the store. is_new is NULL for orders without a customer. least
-- is the minimum value of an order; a negative number means any value.
SELECT day, question, answer, channel, credited, charged,
    CASE WHEN is_new THEN 'new' WHEN NOT is_new THEN 'returning' ELSE 'unknown' END AS segment,
    CASE WHEN order_day IS NULL THEN 0 ELSE 1 END AS known
FROM {{order_answers}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    AND ($question = '' OR question = $question)
    AND ($contains = '' OR position(lower($contains) IN lower(answer)) > 0)
    AND ($channel = '' OR credited = $channel)
    AND ($least < 0 OR (order_day IS NOT NULL AND charged >= $least))
ORDER BY day DESC, source, key, question, answer
LIMIT $limit OFFSET $offset
