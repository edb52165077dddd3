-- The conversion paths of the slice's orders, and the paths that are new to the store, most frequent first.
CREATE OR REPLACE TEMP TABLE slice_named AS
SELECT source, key, string_agg(channel, chr(31) ORDER BY i) AS name, max(n) AS touches, min(touched_at) AS first_at
FROM (
    SELECT source, key, channel, touched_at, i, n, lag(channel) OVER (PARTITION BY source, key ORDER BY i) AS before
    FROM slice_paths
)
WHERE before IS NULL OR before <> channel
GROUP BY source, key;

INSERT INTO {{path_names}}
SELECT known.last + row_number() OVER (ORDER BY fresh.orders DESC, fresh.name) AS path, fresh.name
FROM (SELECT name, count(*) AS orders FROM slice_named GROUP BY name) fresh
CROSS JOIN (SELECT coalesce(max(path), 0) AS last FROM {{path_names}}) known
ANTI JOIN {{path_names}} p ON p.name = fresh.name
ORDER BY path;

CREATE OR REPLACE TEMP TABLE slice_journeys AS
SELECT s.source, s.key, p.path, s.touches, s.first_at
FROM slice_named s JOIN {{path_names}} p ON p.name = s.name;

-- The time to conversion of counted orders. A touchpoint that is dated after its order gives zero.
CREATE OR REPLACE TEMP TABLE slice_delays AS
SELECT j.source, j.key, j.touches, greatest(0, CAST({{seconds "o.placed_at"}} - {{seconds "j.first_at"}} AS BIGINT)) AS seconds
FROM slice_journeys j JOIN {{orders}} o ON o.source = j.source AND o.key = j.key
WHERE NOT o.cancelled AND NOT o.test AND in_slice(o.day);

DELETE FROM {{path_days}} WHERE in_slice(day);
INSERT INTO {{path_days}}
SELECT e.day, j.path, e.is_new, sum(e.orders), sum(e.charged), sum(e.tax), sum(e.shipping), sum(e.discounts),
    sum(e.refunds), sum(e.undated), sum(e.new_orders), sum(e.units),
    sum(CASE WHEN e.orders > 0 THEN j.touches ELSE 0 END),
    sum(CASE WHEN e.orders > 0 THEN coalesce(d.seconds, 0) ELSE 0 END)
FROM slice_events e
JOIN slice_journeys j ON j.source = e.source AND j.key = e.key
LEFT JOIN slice_delays d ON d.source = e.source AND d.key = e.key
GROUP BY e.day, j.path, e.is_new
ORDER BY e.day, j.path, e.is_new;

DELETE FROM {{journey_days}} WHERE in_slice(day);
INSERT INTO {{journey_days}}
SELECT e.day, e.is_new, d.touches, d.seconds // 86400, count(*)
FROM slice_events e JOIN slice_delays d ON d.source = e.source AND d.key = e.key
WHERE e.orders > 0
GROUP BY e.day, e.is_new, d.touches, d.seconds // 86400
ORDER BY e.day, e.is_new, d.touches, d.seconds // 86400;
