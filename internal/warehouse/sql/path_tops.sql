-- One row per journey that ended with an order, most orders first, and how many such journeys there are. A store has
-- nearly as many journeys as orders, so only those that are shown are added up in full. Days are days of the workspace's
-- zone; refunds count on their own. segment is new, returning or empty for both; met is a channel between two of the
-- separators, which selects the journeys that have it, or empty for all.
SELECT
    t.path AS path, max(n.paths) AS all_paths,
    CAST(sum(d.orders) AS BIGINT) AS sum_orders, CAST(sum(d.charged) AS BIGINT) AS sum_charged,
    CAST(sum(d.tax) AS BIGINT) AS sum_tax, CAST(sum(d.shipping) AS BIGINT) AS sum_shipping,
    CAST(sum(d.discounts) AS BIGINT) AS sum_discounts, CAST(sum(d.refunds) AS BIGINT) AS sum_refunds,
    CAST(sum(d.undated) AS BIGINT) AS sum_undated, CAST(sum(d.new_orders) AS BIGINT) AS sum_new_orders,
    CAST(sum(d.units) AS BIGINT) AS sum_units,
    CAST(sum(d.touches) AS BIGINT) AS sum_touches, CAST(sum(d.seconds) AS BIGINT) AS sum_seconds
FROM (
    SELECT path
    FROM (
        SELECT path, sum(orders) AS ended
        FROM {{path_days}}
        WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
            AND ($segment = '' OR is_new = ($segment = 'new'))
            AND ($met = '' OR position($met IN concat($separator, path, $separator)) > 0)
        GROUP BY path
        HAVING sum(orders) <> 0
    ) AS journeys
    ORDER BY ended DESC, path
    LIMIT $limit OFFSET $offset
) AS t
CROSS JOIN (
    SELECT count(*) AS paths
    FROM (
        SELECT path, sum(orders) AS ended
        FROM {{path_days}}
        WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
            AND ($segment = '' OR is_new = ($segment = 'new'))
            AND ($met = '' OR position($met IN concat($separator, path, $separator)) > 0)
        GROUP BY path
        HAVING sum(orders) <> 0
    ) AS journeys
) AS n
INNER JOIN {{path_days}} AS d ON d.path = t.path
WHERE d.day >= CAST($first AS DATE) AND d.day <= CAST($last AS DATE)
    AND ($segment = '' OR d.is_new = ($segment = 'new'))
GROUP BY t.path
ORDER BY sum_orders DESC, path
