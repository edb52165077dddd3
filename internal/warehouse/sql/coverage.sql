-- One row: what orders and ad reports cover. Orders that are in the figures are counted apart from cancelled ones
-- and from tests; a cancelled test is a test. Days are NULL where there is nothing.
-- heavy: reads all orders.
SELECT
    o.orders, o.cancelled, o.tests, o.first_day, o.last_day, a.first_day AS first_ad_day, a.last_day AS last_ad_day
FROM (
    SELECT
        CAST(coalesce(sum(CASE WHEN cancelled OR test THEN 0 ELSE 1 END), 0) AS BIGINT) AS orders,
        CAST(coalesce(sum(CASE WHEN cancelled AND NOT test THEN 1 ELSE 0 END), 0) AS BIGINT) AS cancelled,
        CAST(coalesce(sum(CASE WHEN test THEN 1 ELSE 0 END), 0) AS BIGINT) AS tests,
        min(CASE WHEN cancelled OR test THEN NULL ELSE day END) AS first_day,
        max(CASE WHEN cancelled OR test THEN NULL ELSE day END) AS last_day
    FROM {{orders}}
) AS o
CROSS JOIN (
    SELECT min(day) AS first_day, max(day) AS last_day
    FROM {{campaign_days}}
) AS a
