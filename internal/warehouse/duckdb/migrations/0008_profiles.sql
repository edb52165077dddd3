-- What shops and mailing tools know of customers apart from orders, one row per source and customer, who is a keyed hash as
-- in orders. Consents are 'yes', 'no' and '' where nobody knows.
CREATE TABLE {{profiles}} (
    source VARCHAR, customer VARCHAR, phone VARCHAR, since DATE, email VARCHAR, sms VARCHAR, country VARCHAR,
    region VARCHAR, orders BIGINT, updated_at TIMESTAMP
);
