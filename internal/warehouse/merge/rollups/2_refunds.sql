-- Each order's refunds on each day of the slice. A refund without a date has its order's date. Refunds of unknown
-- orders are included, on their own day and for the online store, because some shops report refunds without the order.
-- Their customers are unknown, so is_new is NULL.
SET VARIABLE first_refunded = (SELECT min(key) FROM {{refunds}} WHERE date_unknown OR in_slice(day));
SET VARIABLE last_refunded = (SELECT max(key) FROM {{refunds}} WHERE date_unknown OR in_slice(day));

CREATE OR REPLACE TEMP TABLE slice_refunds AS
SELECT r.source, r.key, r.day, r.surface, r.country, r.region, r.channel,
    CASE WHEN r.customer <> '' THEN c.key IS NOT NULL END AS is_new, r.refunds, r.undated
FROM (
    SELECT d.source, d.key, o.key IS NOT NULL AS known, coalesce(o.surface, 'online_store') AS surface,
        coalesce(o.country, '') AS country, coalesce(o.region, '') AS region, coalesce(o.channel, '') AS channel,
        coalesce(o.customer, '') AS customer,
        CASE WHEN d.date_unknown THEN coalesce(o.day, d.day) ELSE d.day END AS day,
        CAST(sum(d.amount) AS BIGINT) AS refunds,
        CAST(sum(CASE WHEN d.date_unknown THEN d.amount ELSE 0 END) AS BIGINT) AS undated
    FROM (SELECT * FROM {{refunds}} WHERE date_unknown OR in_slice(day)) d
    LEFT JOIN (
        SELECT * FROM {{orders}} WHERE key >= getvariable('first_refunded') AND key <= getvariable('last_refunded')
    ) o ON o.source = d.source AND o.key = d.key
    WHERE NOT coalesce(o.cancelled, false) AND NOT coalesce(o.test, false)
    GROUP BY ALL
) r
LEFT JOIN (
    SELECT k.source, f.key FROM {{customers}} f JOIN {{order_kinds}} k ON k.kind = f.kind
    WHERE f.key >= getvariable('first_refunded') AND f.key <= getvariable('last_refunded')
) c ON c.source = r.source AND c.key = r.key
WHERE in_slice(r.day);
