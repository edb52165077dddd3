-- Facts, one table per kind of row. Instants are UTC, day is the business day in the workspace's time zone, money is
-- minor units of the workspace's currency, and claimed conversions are millionths. Text is never NULL: unknown text is
-- ''. The import ensures that keys are unique. An index would cost more than it saves.

CREATE TABLE {{orders}} (
    source VARCHAR, key VARCHAR, name VARCHAR, placed_at TIMESTAMP, day DATE, surface VARCHAR, customer VARCHAR,
    channel VARCHAR, charged BIGINT, tax BIGINT, shipping BIGINT, discounts BIGINT, original BIGINT,
    original_currency VARCHAR, status VARCHAR, cancelled BOOLEAN, test BOOLEAN, country VARCHAR, region VARCHAR,
    units BIGINT, updated_at TIMESTAMP
);

CREATE TABLE {{order_lines}} (
    source VARCHAR, key VARCHAR, line BIGINT, sku VARCHAR, title VARCHAR, quantity BIGINT, net BIGINT,
    discount BIGINT, cost BIGINT, cost_known BOOLEAN
);

CREATE TABLE {{refunds}} (
    source VARCHAR, key VARCHAR, refund VARCHAR, refunded_at TIMESTAMP, day DATE, amount BIGINT,
    date_unknown BOOLEAN
);

CREATE TABLE {{order_coupons}} (source VARCHAR, key VARCHAR, code VARCHAR, discount BIGINT);

CREATE TABLE {{touches}} (
    source VARCHAR, key VARCHAR, seq BIGINT, touched_at TIMESTAMP, channel VARCHAR, platform VARCHAR,
    campaign VARCHAR, kind VARCHAR
);

CREATE TABLE {{ad_days}} (
    source VARCHAR, platform VARCHAR, account VARCHAR, channel VARCHAR, day DATE, campaign_id VARCHAR,
    campaign_name VARCHAR, ad_set_id VARCHAR, ad_set_name VARCHAR, ad_id VARCHAR, ad_name VARCHAR,
    country VARCHAR, region VARCHAR, impressions BIGINT, clicks BIGINT, spend BIGINT, original BIGINT,
    original_currency VARCHAR, conversions BIGINT, value BIGINT, attribution VARCHAR
);

CREATE TABLE {{channel_spend}} (
    source VARCHAR, channel VARCHAR, day DATE, region VARCHAR, spend BIGINT, note VARCHAR
);

CREATE TABLE {{products}} (
    source VARCHAR, sku VARCHAR, title VARCHAR, kind VARCHAR, vendor VARCHAR, price BIGINT, cost BIGINT,
    cost_known BOOLEAN
);

CREATE TABLE {{message_days}} (
    source VARCHAR, channel VARCHAR, entity VARCHAR, entity_id VARCHAR, entity_name VARCHAR, message_id VARCHAR,
    message_name VARCHAR, day DATE, recipients BIGINT, delivered BIGINT, opens BIGINT, clicks BIGINT,
    conversions BIGINT, revenue BIGINT, unsubscribes BIGINT, spam BIGINT, bounces BIGINT, since_send BOOLEAN
);

CREATE TABLE {{survey_responses}} (
    source VARCHAR, key VARCHAR, order_source VARCHAR, order_key VARCHAR, answered_at TIMESTAMP, day DATE,
    question VARCHAR, answer VARCHAR, channel VARCHAR, creator VARCHAR
);

CREATE TABLE {{creators}} (source VARCHAR, id VARCHAR, name VARCHAR, handle VARCHAR, platform VARCHAR);

CREATE TABLE {{creator_codes}} (creator VARCHAR, code VARCHAR);

CREATE TABLE {{creator_costs}} (source VARCHAR, creator VARCHAR, day DATE, kind VARCHAR, amount BIGINT);

CREATE TABLE {{link_days}} (
    source VARCHAR, creator VARCHAR, link VARCHAR, kind VARCHAR, day DATE, clicks BIGINT, orders BIGINT,
    revenue BIGINT
);

CREATE TABLE {{coupon_channels}} (code VARCHAR, channel VARCHAR, creator VARCHAR);

CREATE TABLE {{targets}} (
    metric VARCHAR, period VARCHAR, start_day DATE, channel VARCHAR, value DOUBLE
);

CREATE TABLE {{fx_rates}} (
    day DATE, from_currency VARCHAR, to_currency VARCHAR, rate VARCHAR, source VARCHAR
);

CREATE TABLE {{region_days}} (
    source VARCHAR, day DATE, country VARCHAR, region VARCHAR, sessions BIGINT, population BIGINT
);

-- The import ledger: one row per import, and one row per imported table.

CREATE TABLE {{imports}} (
    id BIGINT, source VARCHAR, file VARCHAR, file_hash VARCHAR, imported_at TIMESTAMP, first_day DATE,
    last_day DATE, version BIGINT
);

CREATE TABLE {{import_tables}} (
    import_id BIGINT, fact VARCHAR, inserted BIGINT, updated BIGINT, unchanged BIGINT, removed BIGINT
);

-- The data version: one row. It increases with each import that changes data.

CREATE TABLE {{data_version}} (version BIGINT);

INSERT INTO {{data_version}} VALUES (0);
