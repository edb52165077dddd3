-- Creators, kept by the import like the other roll-ups.

-- A row per day, creator, and how the orders are known to be the creator's: they used one of the creator's codes, the
-- customer named the creator in a survey, or both. An order is one creator's: the one that was named, else the one
-- whose code took off most. Rows of creator '' are orders of the online store that nothing ties to a creator.
-- touched counts those of the orders, in millionths, whose path has the channel influencer or creator.
CREATE TABLE {{creator_days}} (
    day DATE, creator VARCHAR, by_code BOOLEAN, by_survey BOOLEAN, orders BIGINT, touched BIGINT, charged BIGINT,
    tax BIGINT, shipping BIGINT, discounts BIGINT, refunds BIGINT, undated BIGINT, new_orders BIGINT, units BIGINT
);
