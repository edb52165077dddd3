-- One row per day to rebuild, with its number of orders.
SELECT d.day, count(o.day)
FROM (SELECT DISTINCT day FROM dirty) d LEFT JOIN {{order_rows}} o ON o.day = d.day
GROUP BY d.day
ORDER BY d.day
