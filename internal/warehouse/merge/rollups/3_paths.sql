-- The numbered touches of the slice's orders. Direct visits do not take last or first touch from another channel. Time
-- decay halves a touch's weight every 7 days. Only ratios matter, so ages count from the latest touch. Weights are
-- integers, so their sum does not depend on the order of addition. An order has at most 20 touches, so its weights sum
-- to less than 2^31 and the products of share() fit in 64 bits. Sums are cast, because DuckDB's sums have 128 bits, and
-- division of 128-bit numbers is slow.
CREATE OR REPLACE TEMP TABLE slice_paths AS
SELECT source, key, channel, platform, campaign, touched_at, i, n,
    coalesce(max(CASE WHEN channel <> 'direct' THEN i END) OVER path, n) AS last_i,
    coalesce(min(CASE WHEN channel <> 'direct' THEN i END) OVER path, 1) AS first_i,
    CAST(sum(decay) OVER (PARTITION BY source, key ORDER BY i) AS BIGINT) AS decay_upto, decay,
    CAST(sum(decay) OVER path AS BIGINT) AS decay_total
FROM (
    SELECT t.source, t.key, t.channel, t.platform, t.campaign, t.touched_at,
        row_number() OVER (PARTITION BY t.source, t.key ORDER BY t.seq) AS i,
        count(*) OVER (PARTITION BY t.source, t.key) AS n,
        CAST(round(67108864 * pow(0.5, coalesce({{seconds "max(t.touched_at) OVER (PARTITION BY t.source, t.key)"}}
            - {{seconds "t.touched_at"}}, 0) / 604800)) AS BIGINT) AS decay
    FROM {{touches}} t SEMI JOIN slice_events e ON e.source = t.source AND e.key = t.key
    WHERE t.key >= getvariable('first_event') AND t.key <= getvariable('last_event')
)
WINDOW path AS (PARTITION BY source, key);

CREATE OR REPLACE TEMP TABLE slice_touched AS SELECT source, key FROM slice_paths WHERE i = 1;

-- Each touch's share of its order under each model, as an interval of the whole.
CREATE OR REPLACE TEMP TABLE slice_shares AS
SELECT source, key, 'last_touch' AS model, channel, platform, campaign,
    CAST(0 AS BIGINT) AS lower, CAST(1 AS BIGINT) AS upper, CAST(1 AS BIGINT) AS whole
FROM slice_paths WHERE i = last_i
UNION ALL
SELECT source, key, 'first_touch', channel, platform, campaign, 0, 1, 1 FROM slice_paths WHERE i = first_i
UNION ALL
SELECT source, key, 'linear', channel, platform, campaign, i - 1, i, n FROM slice_paths
UNION ALL
SELECT source, key, 'time_decay', channel, platform, campaign, decay_upto - decay, decay_upto, decay_total
FROM slice_paths
UNION ALL
SELECT source, key, 'position_based', channel, platform, campaign, i - 1, i, n FROM slice_paths WHERE n <= 2
UNION ALL
SELECT source, key, 'position_based', channel, platform, campaign,
    CASE WHEN i = 1 THEN 0 ELSE 2 * (n - 2) + i - 2 END,
    CASE WHEN i = n THEN 5 * (n - 2) ELSE 2 * (n - 2) + i - 1 END,
    5 * (n - 2)
FROM slice_paths WHERE n > 2;

-- The slice's orders with touches, and their refunds, summed by credited channel.
CREATE OR REPLACE TEMP TABLE slice_credit AS
SELECT e.day, s.model, s.channel, e.is_new,
    sum(share(e.orders, s.lower, s.upper, s.whole)) AS orders,
    sum(share(e.charged, s.lower, s.upper, s.whole)) AS charged,
    sum(share(e.tax, s.lower, s.upper, s.whole)) AS tax,
    sum(share(e.shipping, s.lower, s.upper, s.whole)) AS shipping,
    sum(share(e.discounts, s.lower, s.upper, s.whole)) AS discounts,
    sum(share(e.refunds, s.lower, s.upper, s.whole)) AS refunds,
    sum(share(e.undated, s.lower, s.upper, s.whole)) AS undated,
    sum(share(e.new_orders, s.lower, s.upper, s.whole)) AS new_orders,
    sum(share(e.units, s.lower, s.upper, s.whole)) AS units
FROM slice_events e JOIN slice_shares s ON s.source = e.source AND s.key = e.key
GROUP BY e.day, s.model, s.channel, e.is_new;
