-- Roll-ups. Each import rebuilds them for the days that changed. They exclude canceled and test orders. Orders are
-- millionths, and money is minor units. Every figure is an exact integer and may be summed over days.

-- The first order of each customer, by time and then by key. It is the order of a new customer.
CREATE TABLE {{customers}} (customer VARCHAR, first_at TIMESTAMP, day DATE, source VARCHAR, key VARCHAR);

-- One row per day, surface and value of is_new (the orders are first orders of their customers).
CREATE TABLE {{store_days}} (
    day DATE, surface VARCHAR, is_new BOOLEAN, orders BIGINT, charged BIGINT, tax BIGINT, shipping BIGINT,
    discounts BIGINT, refunds BIGINT, undated BIGINT, units BIGINT
);

-- One row per day, attribution model and credited channel. The sum over the channels of each model equals store_days.
CREATE TABLE {{credit_days}} (
    day DATE, model VARCHAR, channel VARCHAR, orders BIGINT, charged BIGINT, tax BIGINT, shipping BIGINT,
    discounts BIGINT, refunds BIGINT, undated BIGINT, new_orders BIGINT, units BIGINT
);

-- One row per day and campaign that last touch credits.
CREATE TABLE {{campaign_credit_days}} (
    day DATE, platform VARCHAR, campaign_id VARCHAR, orders BIGINT, charged BIGINT, tax BIGINT, shipping BIGINT,
    discounts BIGINT, refunds BIGINT, undated BIGINT, new_orders BIGINT, units BIGINT
);

-- One row per day, channel and platform. The platform of manual spend entries is ''.
CREATE TABLE {{spend_days}} (
    day DATE, channel VARCHAR, platform VARCHAR, spend BIGINT, impressions BIGINT, clicks BIGINT,
    conversions BIGINT, value BIGINT
);

-- One row per day and campaign.
CREATE TABLE {{campaign_days}} (
    day DATE, platform VARCHAR, campaign_id VARCHAR, channel VARCHAR, account VARCHAR, campaign_name VARCHAR,
    attribution VARCHAR, spend BIGINT, impressions BIGINT, clicks BIGINT, conversions BIGINT, value BIGINT
);

-- One row per day and ad, summed over regions.
CREATE TABLE {{creative_days}} (
    day DATE, platform VARCHAR, campaign_id VARCHAR, ad_set_id VARCHAR, ad_id VARCHAR, channel VARCHAR,
    account VARCHAR, campaign_name VARCHAR, ad_set_name VARCHAR, ad_name VARCHAR, attribution VARCHAR,
    spend BIGINT, impressions BIGINT, clicks BIGINT, conversions BIGINT, value BIGINT
);

-- One row per day and product, and one row per day with the number of orders with lines, each counted once.
CREATE TABLE {{product_days}} (
    day DATE, sku VARCHAR, title VARCHAR, units BIGINT, orders BIGINT, net BIGINT, discount BIGINT, cost BIGINT,
    costed BIGINT
);

CREATE TABLE {{lined_order_days}} (day DATE, orders BIGINT);

-- One row per day and coupon code, and one row per day with the number of orders with any code, each counted once.
CREATE TABLE {{coupon_days}} (
    day DATE, code VARCHAR, orders BIGINT, charged BIGINT, discount BIGINT, new_orders BIGINT
);

CREATE TABLE {{coupon_order_days}} (
    day DATE, orders BIGINT, charged BIGINT, discount BIGINT, new_orders BIGINT
);

-- One row per day and region of the customer, and the spend of each channel there.
CREATE TABLE {{geo_days}} (
    day DATE, country VARCHAR, region VARCHAR, orders BIGINT, charged BIGINT, refunds BIGINT, new_orders BIGINT,
    units BIGINT
);

CREATE TABLE {{geo_spend_days}} (day DATE, country VARCHAR, region VARCHAR, channel VARCHAR, spend BIGINT);
