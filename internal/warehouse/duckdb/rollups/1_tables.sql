-- What a rebuild works with. slice has the days that are rebuilt at once. The other tables are made anew for each
-- slice from facts that the store has; where it has none they stay empty, and joining them costs nothing.
CREATE OR REPLACE TEMP TABLE slice (day DATE);

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

CREATE OR REPLACE TEMP TABLE slice_codes (source VARCHAR, key VARCHAR, channel VARCHAR);

-- The events of the slice: each order on its day, each order's refunds on theirs. Orders are millionths.
CREATE OR REPLACE TEMP VIEW slice_events AS
SELECT o.source, o.key, o.day, o.surface, o.country, o.region, o.channel, o.customer,
    o.customer = '' OR c.key IS NOT NULL AS is_new,
    CAST(1000000 AS BIGINT) AS orders, o.charged, o.tax, o.shipping, o.discounts,
    CAST(0 AS BIGINT) AS refunds, CAST(0 AS BIGINT) AS undated,
    CAST(CASE WHEN o.customer = '' OR c.key IS NOT NULL THEN 1000000 ELSE 0 END AS BIGINT) AS new_orders, o.units
FROM {{orders}} o
LEFT JOIN (SELECT source, key FROM {{customers}} WHERE day IN (SELECT day FROM slice)) c
    ON c.source = o.source AND c.key = o.key
WHERE NOT o.cancelled AND NOT o.test AND o.day IN (SELECT day FROM slice)
UNION ALL
SELECT source, key, day, surface, country, region, channel, '', is_new, 0, 0, 0, 0, 0, refunds, undated, 0, 0
FROM slice_refunds;
