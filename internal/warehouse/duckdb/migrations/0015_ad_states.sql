-- How campaigns, ad sets and ads stood, one row per version: platform, level, id and the instant from which on it counts.
-- Statuses and budgets that a version leaves open are '' and 0 with the unit ''.
CREATE TABLE {{ad_states}} (
    platform VARCHAR, level VARCHAR, id VARCHAR, since TIMESTAMP, read_at TIMESTAMP, account VARCHAR, name VARCHAR, campaign_id VARCHAR,
    status VARCHAR, told VARCHAR, budget BIGINT, budget_unit VARCHAR, budget_per VARCHAR
);
