-- Roll-ups of customers, journeys and answers. Each import updates them. They exclude canceled and test orders.

-- One row per day, channel that last touch credits, and value of is_new (the orders are first orders of their
-- customers). The sum over is_new equals credit_days under last_touch.
CREATE TABLE {{segment_days}} (
    day DATE, channel VARCHAR, is_new BOOLEAN, orders BIGINT, charged BIGINT, tax BIGINT, shipping BIGINT,
    discounts BIGINT, refunds BIGINT, undated BIGINT, new_orders BIGINT, units BIGINT
);

-- One row per customer: the day of the first order, its last-touch channel, and a number derived from the customer's
-- key. The number is stable and equivalent to a random number.
CREATE TABLE {{buyers}} (customer VARCHAR, id BIGINT, day DATE, channel VARCHAR);

-- One row per last-touch channel of first orders, month of the first orders and month of activity: the number of active
-- customers. The row with equal months has the size of the cohort.
CREATE TABLE {{cohort_months}} (
    channel VARCHAR, cohort DATE, month DATE, customers BIGINT, orders BIGINT
);

-- The panel: the customers with the lowest numbers, or all customers if there are few, and their activity per day. Days
-- with refunds only have no orders. net is the amount charged for lines, and costed is the part of net with a known
-- cost.
CREATE TABLE {{panel_customers}} (id BIGINT, day DATE, channel VARCHAR);

CREATE TABLE {{panel_days}} (
    id BIGINT, day DATE, orders BIGINT, charged BIGINT, tax BIGINT, shipping BIGINT, refunds BIGINT, net BIGINT,
    costed BIGINT, cost BIGINT
);

-- One row per day, journey and value of is_new (the orders are first orders of their customers). A journey lists the
-- channels of the touches before the order, oldest first, separated by the character 31. Consecutive touches of one
-- channel are merged. touches, and seconds from the first touch to the order, are summed over orders.
CREATE TABLE {{path_days}} (
    day DATE, path VARCHAR, is_new BOOLEAN, orders BIGINT, charged BIGINT, tax BIGINT, shipping BIGINT,
    discounts BIGINT, refunds BIGINT, undated BIGINT, new_orders BIGINT, units BIGINT, touches BIGINT, seconds BIGINT
);

-- One row per day, number of touches, and number of whole days from the first touch to the order.
CREATE TABLE {{journey_days}} (day DATE, is_new BOOLEAN, touches BIGINT, lag_days BIGINT, orders BIGINT);

-- One row per answer, with data of its order. order_day is NULL if the store does not have the order. leads marks one
-- answer of each order.
CREATE TABLE {{order_answers}} (
    day DATE, order_day DATE, source VARCHAR, key VARCHAR, question VARCHAR, answer VARCHAR, channel VARCHAR,
    creator VARCHAR, leads BOOLEAN, charged BIGINT, surface VARCHAR, is_new BOOLEAN, credited VARCHAR
);
