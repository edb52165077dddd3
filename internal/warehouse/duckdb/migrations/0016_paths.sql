-- Journeys have numbers, because a store can have a hundred thousand journeys, and comparing their texts took most of
-- the time of each query. This table has one row per journey: the channels of the touches before an order, oldest
-- first, separated by the character 31. Consecutive touches of one channel are merged. Within each import, the most
-- frequent new journeys get the lowest numbers, so they are stored together.
CREATE TABLE {{path_names}} (path INTEGER, name VARCHAR);

INSERT INTO {{path_names}}
SELECT row_number() OVER (ORDER BY sum(orders) DESC, path) AS number, path FROM {{path_days}} GROUP BY path ORDER BY number;

ALTER TABLE {{path_days}} RENAME TO path_days_before;

-- One row per day, journey and value of is_new (the orders are first orders of their customers). touches, and seconds
-- from the first touch to the order, are summed over orders.
CREATE TABLE {{path_days}} (
    day DATE, path INTEGER, is_new BOOLEAN, orders BIGINT, charged BIGINT, tax BIGINT, shipping BIGINT, discounts BIGINT,
    refunds BIGINT, undated BIGINT, new_orders BIGINT, units BIGINT, touches BIGINT, seconds BIGINT
);

INSERT INTO {{path_days}}
SELECT d.day, n.path, d.is_new, d.orders, d.charged, d.tax, d.shipping, d.discounts, d.refunds, d.undated, d.new_orders,
    d.units, d.touches, d.seconds
FROM {{path_days_before}} AS d
INNER JOIN {{path_names}} AS n ON n.name = d.path
ORDER BY d.day, n.path, d.is_new;

DROP TABLE {{path_days_before}};

-- Survey answers, summed by day, text, channel and properties of their orders: the number of answers, the number of
-- answers that mark their order (order_answers.leads), and the value of the orders. known is false if the store does
-- not have the orders.
CREATE TABLE {{answer_days}} (
    day DATE, known BOOLEAN, question VARCHAR, answer VARCHAR, channel VARCHAR, surface VARCHAR, is_new BOOLEAN,
    credited VARCHAR, answers BIGINT, leads BIGINT, charged BIGINT
);

INSERT INTO {{answer_days}}
SELECT day, order_day IS NOT NULL AS known, question, answer, channel, surface, is_new, credited, count(*),
    count(*) FILTER (leads), sum(charged)
FROM {{order_answers}}
GROUP BY ALL
ORDER BY day, question, answer, channel, known, surface, is_new, credited;
