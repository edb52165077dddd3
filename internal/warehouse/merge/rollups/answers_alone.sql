-- The answers without an order in the store. Answers of canceled and test orders are in no figure.
CREATE OR REPLACE TEMP TABLE answer_dirty AS SELECT DISTINCT day FROM {{order_answers}} WHERE order_day IS NULL;

DELETE FROM {{order_answers}} WHERE order_day IS NULL;
INSERT INTO {{order_answers}}
SELECT s.day, NULL, s.order_source, s.order_key, s.question, s.answer, s.channel, s.creator,
    s.order_key = '' OR row_number() OVER (PARTITION BY s.order_source, s.order_key
        ORDER BY s.day, s.source, s.key, s.question) = 1,
    0, '', NULL, ''
FROM {{survey_responses}} s ANTI JOIN {{orders}} o ON o.source = s.order_source AND o.key = s.order_key
ORDER BY s.day, s.order_source, s.order_key, s.question;

INSERT INTO answer_dirty SELECT DISTINCT day FROM {{order_answers}} WHERE order_day IS NULL;
