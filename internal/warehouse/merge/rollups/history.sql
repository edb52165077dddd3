-- The totals of the days in this import that differ from the latest row of their history.
CREATE TEMP TABLE latest_versions AS
SELECT h.*
FROM {{day_history}} h
JOIN (
    SELECT max(import_id) AS import_id, day, kind, part
    FROM {{day_history}}
    WHERE CASE WHEN kind = 'orders' THEN day IN (SELECT day FROM dirty) ELSE day IN (SELECT day FROM spend_dirty) END
    GROUP BY day, kind, part
) l ON l.import_id = h.import_id AND l.day = h.day AND l.kind = h.kind AND l.part = h.part;

CREATE TEMP TABLE new_versions AS
SELECT day, 'orders' AS kind, surface AS part, true AS there, sum(orders) AS orders, sum(charged) AS charged, sum(tax) AS tax,
    sum(shipping) AS shipping, sum(discounts) AS discounts, sum(refunds) AS refunds, sum(undated) AS undated,
    sum(CASE WHEN is_new THEN orders ELSE 0 END) AS new_orders, sum(units) AS units, 0 AS spend, 0 AS impressions, 0 AS clicks,
    0 AS conversions, 0 AS value
FROM {{store_days}}
WHERE day IN (SELECT day FROM dirty)
GROUP BY day, surface
UNION ALL
SELECT day, 'spend', platform, true, 0, 0, 0, 0, 0, 0, 0, 0, 0, sum(spend), sum(impressions), sum(clicks), sum(conversions),
    sum(value)
FROM {{spend_days}}
WHERE day IN (SELECT day FROM spend_dirty)
GROUP BY day, platform;

INSERT INTO new_versions
SELECT l.day, l.kind, l.part, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
FROM latest_versions l ANTI JOIN new_versions n ON n.day = l.day AND n.kind = l.kind AND n.part = l.part;

CREATE TEMP TABLE changed_versions AS
SELECT * FROM new_versions EXCEPT SELECT * EXCLUDE (import_id) FROM latest_versions;
