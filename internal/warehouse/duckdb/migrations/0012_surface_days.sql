-- Sales of surfaces on days with a known total only, one row per source, day, surface and place. Amounts have the same
-- meaning as in orders. Orders are whole numbers.
CREATE TABLE {{surface_days}} (
    source VARCHAR, day DATE, surface VARCHAR, country VARCHAR, region VARCHAR, orders BIGINT, new_orders BIGINT, units BIGINT,
    charged BIGINT, tax BIGINT, shipping BIGINT, discounts BIGINT, refunds BIGINT
);
