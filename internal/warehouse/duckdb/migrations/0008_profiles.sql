-- Data of shops and email tools about customers apart from orders, one row per source and customer. The customer is a
-- keyed hash, as in orders. Consents are 'yes', 'no', or '' if unknown.
CREATE TABLE {{profiles}} (
    source VARCHAR, customer VARCHAR, phone VARCHAR, since DATE, email VARCHAR, sms VARCHAR, country VARCHAR,
    region VARCHAR, orders BIGINT, updated_at TIMESTAMP
);
