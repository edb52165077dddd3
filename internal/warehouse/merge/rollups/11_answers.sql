-- The survey answers of the slice's orders.
CREATE OR REPLACE TEMP TABLE answer_dirty AS SELECT DISTINCT day FROM {{order_answers}} WHERE in_slice(order_day);

DELETE FROM {{order_answers}} WHERE in_slice(order_day);
INSERT INTO {{order_answers}}
SELECT a.day, e.day, a.order_source, a.order_key, a.question, a.answer, a.channel, a.creator,
    row_number() OVER (PARTITION BY a.order_source, a.order_key ORDER BY a.day, a.source, a.key, a.question) = 1,
    e.charged, e.surface, e.is_new, coalesce(s.channel, nullif(e.channel, ''), c.channel, 'unattributed')
FROM {{survey_responses}} a JOIN slice_events e ON e.source = a.order_source AND e.key = a.order_key
LEFT JOIN (SELECT source, key, channel FROM slice_shares WHERE model = 'last_touch') s
    ON s.source = e.source AND s.key = e.key
LEFT JOIN slice_codes c ON c.source = e.source AND c.key = e.key
WHERE e.orders > 0
ORDER BY a.day, a.order_source, a.order_key, a.question;

INSERT INTO answer_dirty SELECT DISTINCT day FROM {{order_answers}} WHERE in_slice(order_day);
