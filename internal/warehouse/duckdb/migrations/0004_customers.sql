-- Roll-ups of customers, journeys and answers, kept by the import. Cancelled and test orders are in none of them.

-- A row per day, channel credited by last touch, and whether the orders are their customers' first. Summed over the
-- latter it is credit_days under last_touch.
CREATE TABLE {{segment_days}} (
    day DATE, channel VARCHAR, is_new BOOLEAN, orders BIGINT, charged BIGINT, tax BIGINT, shipping BIGINT,
    discounts BIGINT, refunds BIGINT, undated BIGINT, new_orders BIGINT, units BIGINT
);

-- A row per customer: the day of the first order, the channel credited with it by last touch, and a number made
-- from the customer's key, which is as good as drawn by chance and always the same.
CREATE TABLE {{buyers}} (customer VARCHAR, id BIGINT, day DATE, channel VARCHAR);

-- A row per channel that won customers, month of their first orders and month in which they ordered: how many of them
-- did. The row whose months are equal has the size of the cohort.
CREATE TABLE {{cohort_months}} (
    channel VARCHAR, cohort DATE, month DATE, customers BIGINT, orders BIGINT
);

-- The panel: the customers with the lowest numbers, all of them while they are few enough, and what they did per day.
-- Days of refunds have no orders. net is charged for lines, costed the part of it whose cost is known.
CREATE TABLE {{panel_customers}} (id BIGINT, day DATE, channel VARCHAR);

CREATE TABLE {{panel_days}} (
    id BIGINT, day DATE, orders BIGINT, charged BIGINT, tax BIGINT, shipping BIGINT, refunds BIGINT, net BIGINT,
    costed BIGINT, cost BIGINT
);

-- A row per day, journey, and whether the orders are their customers' first. A journey is the channels touched before
-- the order, the oldest first, separated by the character 31; a channel touched again at once stands once. touches
-- and seconds, from the first touch to the order, are summed over orders.
CREATE TABLE {{path_days}} (
    day DATE, path VARCHAR, is_new BOOLEAN, orders BIGINT, charged BIGINT, tax BIGINT, shipping BIGINT,
    discounts BIGINT, refunds BIGINT, undated BIGINT, new_orders BIGINT, units BIGINT, touches BIGINT, seconds BIGINT
);

-- A row per day, number of touches and whole days from the first touch to the order.
CREATE TABLE {{journey_days}} (day DATE, is_new BOOLEAN, touches BIGINT, lag_days BIGINT, orders BIGINT);

-- A row per answer, with what is known of its order. order_day is NULL for answers whose order the store does not
-- have. leads marks one answer of each order.
CREATE TABLE {{order_answers}} (
    day DATE, order_day DATE, source VARCHAR, key VARCHAR, question VARCHAR, answer VARCHAR, channel VARCHAR,
    creator VARCHAR, leads BOOLEAN, charged BIGINT, surface VARCHAR, is_new BOOLEAN, credited VARCHAR
);
