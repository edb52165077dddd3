-- What the customers of the slice's orders answered.
DELETE FROM {{order_answers}} a USING slice_credited e
WHERE a.order_day IS NULL AND e.source = a.source AND e.key = a.key AND e.orders > 0;
DELETE FROM {{order_answers}} WHERE order_day IN (SELECT day FROM slice);
INSERT INTO {{order_answers}}
SELECT s.day, e.day, s.order_source, s.order_key, s.question, s.answer, s.channel, s.creator,
    row_number() OVER (PARTITION BY s.order_source, s.order_key ORDER BY s.day, s.source, s.key, s.question) = 1,
    e.charged, e.surface, e.is_new, e.credited
FROM {{survey_responses}} s JOIN slice_credited e ON e.source = s.order_source AND e.key = s.order_key
WHERE e.orders > 0
ORDER BY s.day, s.order_source, s.order_key, s.question;
