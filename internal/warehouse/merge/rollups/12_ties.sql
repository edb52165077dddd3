-- The signals that tie the slice's orders to creators. A code belongs to a creator by the list of codes, else by the
-- coupon map.
CREATE OR REPLACE TEMP TABLE owned_codes AS
SELECT code, first(creator ORDER BY rank, creator) AS creator
FROM (
    SELECT upper(code) AS code, creator, 1 AS rank FROM {{creator_codes}}
    UNION ALL
    SELECT code, creator, 2 FROM {{coupon_channels}} WHERE creator <> ''
)
GROUP BY code;

CREATE OR REPLACE TEMP TABLE slice_signals AS
SELECT source, key, creator, named > 0 AS by_survey, coded > 0 AS by_code
FROM (
    SELECT source, key, creator, sum(named) AS named, sum(coded) AS coded,
        row_number() OVER (PARTITION BY source, key ORDER BY sum(named) DESC, sum(discount) DESC, creator) AS place
    FROM (
        SELECT c.source, c.key, o.creator, 0 AS named, 1 AS coded, c.discount
        FROM {{order_coupons}} c JOIN owned_codes o ON o.code = c.code
        UNION ALL
        SELECT order_source, order_key, creator, 1, 0, 0
        FROM {{survey_responses}}
        WHERE creator <> '' AND order_key <> ''
    ) AS signals
    SEMI JOIN slice_events e ON e.source = signals.source AND e.key = signals.key
    GROUP BY source, key, creator
)
WHERE place = 1;

-- The orders with a creator in their path.
CREATE OR REPLACE TEMP TABLE slice_met AS
SELECT DISTINCT source, key FROM slice_paths WHERE channel IN ('influencer', 'creator');

CREATE OR REPLACE TEMP TABLE slice_tied AS
SELECT e.day, e.surface, s.creator, s.by_code, s.by_survey, m.key IS NOT NULL AS met, e.orders, e.charged, e.tax,
    e.shipping, e.discounts, e.refunds, e.undated, e.new_orders, e.units
FROM slice_events e
LEFT JOIN slice_signals s ON s.source = e.source AND s.key = e.key
LEFT JOIN slice_met m ON m.source = e.source AND m.key = e.key
WHERE s.key IS NOT NULL OR m.key IS NOT NULL;
