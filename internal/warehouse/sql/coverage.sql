-- One row: the range of orders and ad reports. Orders in figures, canceled orders and test orders are counted
-- separately; a canceled test is a test. Orders are first counted by the number of their kind. Days are NULL without
-- data.
-- heavy: reads all orders.
SELECT
    o.orders, o.cancelled, o.tests, o.first_day, o.last_day, a.first_day AS first_ad_day, a.last_day AS last_ad_day
FROM (
    SELECT
        CAST(coalesce(sum(CASE WHEN k.cancelled OR k.test THEN 0 ELSE r.orders END), 0) AS BIGINT) AS orders,
        CAST(coalesce(sum(CASE WHEN k.cancelled AND NOT k.test THEN r.orders ELSE 0 END), 0) AS BIGINT) AS cancelled,
        CAST(coalesce(sum(CASE WHEN k.test THEN r.orders ELSE 0 END), 0) AS BIGINT) AS tests,
        min(CASE WHEN k.cancelled OR k.test THEN NULL ELSE r.first_day END) AS first_day,
        max(CASE WHEN k.cancelled OR k.test THEN NULL ELSE r.last_day END) AS last_day
    FROM (
        SELECT kind, count(*) AS orders, min(day) AS first_day, max(day) AS last_day
        FROM {{order_rows}}
        GROUP BY kind
    ) AS r
    INNER JOIN {{order_kinds}} AS k ON k.kind = r.kind
) AS o
CROSS JOIN (
    SELECT min(day) AS first_day, max(day) AS last_day
    FROM {{campaign_days}}
) AS a
