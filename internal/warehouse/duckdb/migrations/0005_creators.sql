-- Roll-ups of creators. Each import updates them.

-- One row per day, creator, and signals that tie the orders to the creator: a code of the creator, a survey answer that
-- names the creator, or both. An order belongs to one creator: the named one, otherwise the creator of the code with
-- the largest discount. Rows with the creator '' are orders of the online store without a creator. touched is the
-- number of orders, in millionths, with the channel influencer or creator in their path.
CREATE TABLE {{creator_days}} (
    day DATE, creator VARCHAR, by_code BOOLEAN, by_survey BOOLEAN, orders BIGINT, touched BIGINT, charged BIGINT,
    tax BIGINT, shipping BIGINT, discounts BIGINT, refunds BIGINT, undated BIGINT, new_orders BIGINT, units BIGINT
);
