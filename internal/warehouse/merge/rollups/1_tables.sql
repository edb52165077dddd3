-- The working tables of a rebuild. slice has the days rebuilt together. The other tables are created again for each
-- slice from the store's facts; without facts they are empty, and joining them costs nothing.
CREATE OR REPLACE TEMP TABLE slice (day DATE);

CREATE OR REPLACE TEMP MACRO in_slice(d) AS (false); -- replaced for each slice

CREATE OR REPLACE TEMP TABLE slice_refunds AS
SELECT source, key, day, '' AS surface, '' AS country, '' AS region, '' AS channel, false AS is_new,
    CAST(0 AS BIGINT) AS refunds, CAST(0 AS BIGINT) AS undated
FROM {{refunds}} WHERE false;

CREATE OR REPLACE TEMP TABLE slice_paths (source VARCHAR, key VARCHAR, channel VARCHAR);

CREATE OR REPLACE TEMP TABLE slice_touched (source VARCHAR, key VARCHAR);

CREATE OR REPLACE TEMP TABLE slice_shares (
    source VARCHAR, key VARCHAR, model VARCHAR, channel VARCHAR, platform VARCHAR, campaign VARCHAR, lower BIGINT,
    upper BIGINT, whole BIGINT
);

CREATE OR REPLACE TEMP TABLE slice_credit (
    day DATE, model VARCHAR, channel VARCHAR, is_new BOOLEAN, orders HUGEINT, charged HUGEINT, tax HUGEINT,
    shipping HUGEINT, discounts HUGEINT, refunds HUGEINT, undated HUGEINT, new_orders HUGEINT, units HUGEINT
);

CREATE OR REPLACE TEMP TABLE slice_codes (source VARCHAR, key VARCHAR, channel VARCHAR);

CREATE OR REPLACE TEMP TABLE slice_tied (
    day DATE, surface VARCHAR, creator VARCHAR, by_code BOOLEAN, by_survey BOOLEAN, met BOOLEAN, orders BIGINT,
    charged BIGINT, tax BIGINT, shipping BIGINT, discounts BIGINT, refunds BIGINT, undated BIGINT, new_orders BIGINT,
    units BIGINT
);

-- The unit cost of a product from a day until the day before the next cost. If a day has several costs, the cost of the
-- first source by name is used. most is the largest plausible quantity of a line: the cost of a larger quantity exceeds
-- 1e15 and is unknown, because the quantity is an error in the data.
CREATE OR REPLACE TEMP TABLE unit_costs AS
SELECT sku, since, lead(since, 1, DATE '9999-12-31') OVER (PARTITION BY sku ORDER BY since) AS until, cost,
    1000000000000000 // greatest(abs(cost), 1) AS most
FROM (SELECT sku, since, arg_min(cost, source) AS cost FROM {{product_costs}} GROUP BY sku, since);
