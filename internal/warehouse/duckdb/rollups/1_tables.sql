-- What a rebuild works with. slice has the days that are rebuilt at once. The other tables are made anew for each
-- slice from facts that the store has; where it has none they stay empty, and joining them costs nothing.
CREATE OR REPLACE TEMP TABLE slice (day DATE);

CREATE OR REPLACE TEMP MACRO in_slice(d) AS (false); -- made anew with each slice

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

-- What a unit of a product costs from a day until before another one. Of costs of the same day that of the source whose
-- name comes first counts.
CREATE OR REPLACE TEMP TABLE unit_costs AS
SELECT sku, since, lead(since, 1, DATE '9999-12-31') OVER (PARTITION BY sku ORDER BY since) AS until, cost
FROM (SELECT sku, since, arg_min(cost, source) AS cost FROM {{product_costs}} GROUP BY sku, since);

-- The events of the slice: each order on its day, each order's refunds on theirs. Orders are millionths. Reading them
-- takes a pass over the slice's orders; what every store has is counted from slice_cube instead.
CREATE OR REPLACE TEMP VIEW slice_events AS
SELECT k.source, o.key, o.day, k.surface, p.country, p.region, k.channel, o.customer,
    o.customer = '' OR c.key IS NOT NULL AS is_new,
    CAST(1000000 AS BIGINT) AS orders, o.charged, o.tax, o.shipping, o.discounts,
    CAST(0 AS BIGINT) AS refunds, CAST(0 AS BIGINT) AS undated,
    CAST(CASE WHEN o.customer = '' OR c.key IS NOT NULL THEN 1000000 ELSE 0 END AS BIGINT) AS new_orders, o.units
FROM {{order_rows}} o
JOIN {{order_kinds}} k ON k.kind = o.kind
JOIN {{order_places}} p ON p.place = o.place
LEFT JOIN (SELECT kind, key FROM {{customers}} WHERE in_slice(day)) c
    ON c.kind = o.kind AND c.key = o.key
WHERE NOT k.cancelled AND NOT k.test AND in_slice(o.day)
UNION ALL
SELECT source, key, day, surface, country, region, channel, '', is_new, 0, 0, 0, 0, 0, refunds, undated, 0, 0
FROM slice_refunds;
