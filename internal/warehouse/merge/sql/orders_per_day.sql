-- One row per day to rebuild, with its number of orders. The ends of the period are constants, so the database skips
-- blocks of other days.
SELECT d.day, coalesce(o.orders, 0)
FROM (SELECT DISTINCT day FROM dirty) d
LEFT JOIN (
    SELECT day, count(*) AS orders
    FROM {{order_rows}}
    WHERE day >= DATE '{{.first}}' AND day <= DATE '{{.last}}'
    GROUP BY day
) o ON o.day = d.day
ORDER BY d.day
