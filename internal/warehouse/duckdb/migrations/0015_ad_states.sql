-- States of campaigns, ad sets and ads, one row per version: platform, level, ID and the instant from which the version
-- is valid. If a version has no status, the status is ''. If it has no budget, the budget is 0 with the unit ''.
CREATE TABLE {{ad_states}} (
    platform VARCHAR, level VARCHAR, id VARCHAR, since TIMESTAMP, read_at TIMESTAMP, account VARCHAR, name VARCHAR, campaign_id VARCHAR,
    status VARCHAR, told VARCHAR, budget BIGINT, budget_unit VARCHAR, budget_per VARCHAR
);
