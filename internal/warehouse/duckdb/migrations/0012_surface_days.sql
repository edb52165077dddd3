-- What surfaces took on days of which only the total is known, one row per source, day, surface and place. Amounts are those
-- of orders; orders are whole.
CREATE TABLE {{surface_days}} (
    source VARCHAR, day DATE, surface VARCHAR, country VARCHAR, region VARCHAR, orders BIGINT, new_orders BIGINT, units BIGINT,
    charged BIGINT, tax BIGINT, shipping BIGINT, discounts BIGINT, refunds BIGINT
);
