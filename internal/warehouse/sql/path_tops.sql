-- One row per conversion path, most orders first. A store has almost as many paths as orders. With the result of
-- path_ranks, this query skips most paths that are not on the page: paths with numbers outside lowest to highest, and
-- paths with fewer orders than least. Days are in the workspace's time zone. Refunds are dated by their own day.
-- segment is new, returning or empty for both. met is a channel between two separators, which selects the paths with
-- this channel; an empty met selects all paths.
SELECT
    n.name AS path, d.sum_orders, d.sum_charged, d.sum_tax, d.sum_shipping, d.sum_discounts, d.sum_refunds, d.sum_undated,
    d.sum_new_orders, d.sum_units, d.sum_touches, d.sum_seconds
FROM (
    SELECT
        path, CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
        CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
        CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
        CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
        CAST(sum(units) AS BIGINT) AS sum_units, CAST(sum(touches) AS BIGINT) AS sum_touches,
        CAST(sum(seconds) AS BIGINT) AS sum_seconds
    FROM {{path_days}}
    WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
        AND path >= $lowest AND path <= $highest
        AND ($segment = '' OR is_new = ($segment = 'new'))
    GROUP BY path
    HAVING sum(orders) <> 0 AND sum(orders) >= $least
) AS d
INNER JOIN {{path_names}} AS n ON n.path = d.path
WHERE n.path >= $lowest AND n.path <= $highest
    AND ($met = '' OR position($met IN concat($separator, n.name, $separator)) > 0)
ORDER BY d.sum_orders DESC, n.name
LIMIT $limit OFFSET $offset
