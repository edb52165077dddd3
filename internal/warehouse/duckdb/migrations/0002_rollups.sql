-- Roll-ups, kept by the import for the days that changed. Cancelled and test orders are in none of them. Orders
-- are millionths, money is minor units, every figure is an exact integer and may be summed over days.

-- The first order of a customer, by time and then by key: what makes an order a new customer's.
CREATE TABLE {{customers}} (customer VARCHAR, first_at TIMESTAMP, day DATE, source VARCHAR, key VARCHAR);

-- A row per day, surface, and whether the orders are their customers' first.
CREATE TABLE {{store_days}} (
    day DATE, surface VARCHAR, is_new BOOLEAN, orders BIGINT, charged BIGINT, tax BIGINT, shipping BIGINT,
    discounts BIGINT, refunds BIGINT, undated BIGINT, units BIGINT
);

-- A row per day, attribution model and channel credited by it. Each model adds up to store_days.
CREATE TABLE {{credit_days}} (
    day DATE, model VARCHAR, channel VARCHAR, orders BIGINT, charged BIGINT, tax BIGINT, shipping BIGINT,
    discounts BIGINT, refunds BIGINT, undated BIGINT, new_orders BIGINT, units BIGINT
);

-- A row per day and campaign credited by last touch.
CREATE TABLE {{campaign_credit_days}} (
    day DATE, platform VARCHAR, campaign_id VARCHAR, orders BIGINT, charged BIGINT, tax BIGINT, shipping BIGINT,
    discounts BIGINT, refunds BIGINT, undated BIGINT, new_orders BIGINT, units BIGINT
);

-- A row per day, channel and platform; the platform of spend entered by hand is ''.
CREATE TABLE {{spend_days}} (
    day DATE, channel VARCHAR, platform VARCHAR, spend BIGINT, impressions BIGINT, clicks BIGINT,
    conversions BIGINT, value BIGINT
);

-- A row per day and campaign.
CREATE TABLE {{campaign_days}} (
    day DATE, platform VARCHAR, campaign_id VARCHAR, channel VARCHAR, account VARCHAR, campaign_name VARCHAR,
    attribution VARCHAR, spend BIGINT, impressions BIGINT, clicks BIGINT, conversions BIGINT, value BIGINT
);

-- A row per day and ad, whatever regions it ran in.
CREATE TABLE {{creative_days}} (
    day DATE, platform VARCHAR, campaign_id VARCHAR, ad_set_id VARCHAR, ad_id VARCHAR, channel VARCHAR,
    account VARCHAR, campaign_name VARCHAR, ad_set_name VARCHAR, ad_name VARCHAR, attribution VARCHAR,
    spend BIGINT, impressions BIGINT, clicks BIGINT, conversions BIGINT, value BIGINT
);

-- A row per day and product, and per day the orders that had lines at all, each counted once.
CREATE TABLE {{product_days}} (
    day DATE, sku VARCHAR, title VARCHAR, units BIGINT, orders BIGINT, net BIGINT, discount BIGINT, cost BIGINT,
    costed BIGINT
);

CREATE TABLE {{lined_order_days}} (day DATE, orders BIGINT);

-- A row per day and coupon code, and per day the orders that used any code, each counted once.
CREATE TABLE {{coupon_days}} (
    day DATE, code VARCHAR, orders BIGINT, charged BIGINT, discount BIGINT, new_orders BIGINT
);

CREATE TABLE {{coupon_order_days}} (
    day DATE, orders BIGINT, charged BIGINT, discount BIGINT, new_orders BIGINT
);

-- A row per day and region of the customer, and what each channel spent there.
CREATE TABLE {{geo_days}} (
    day DATE, country VARCHAR, region VARCHAR, orders BIGINT, charged BIGINT, refunds BIGINT, new_orders BIGINT,
    units BIGINT
);

CREATE TABLE {{geo_spend_days}} (day DATE, country VARCHAR, region VARCHAR, channel VARCHAR, spend BIGINT);
