-- Survey answers on the days of answer_dirty, summed.
DELETE FROM {{answer_days}} WHERE day IN (SELECT day FROM answer_dirty);
INSERT INTO {{answer_days}}
SELECT day, order_day IS NOT NULL AS known, question, answer, channel, surface, is_new, credited, count(*),
    count(*) FILTER (leads), sum(charged)
FROM {{order_answers}}
WHERE day IN (SELECT day FROM answer_dirty)
GROUP BY ALL
ORDER BY day, question, answer, channel, known, surface, is_new, credited;
