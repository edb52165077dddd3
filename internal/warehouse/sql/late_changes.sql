-- One row: the number of days and parts with totals that changed after they were first visible. Only changes by imports
-- in the given period are included. Days are in the workspace's time zone. The first day is NULL if there is none.
SELECT count(*) AS parts, min(c.day) AS first_day, max(c.day) AS last_day
FROM (
    SELECT s.day AS day, s.kind AS kind, s.part AS part
    FROM (
        SELECT v.day AS day, v.kind AS kind, v.part AS part,
            coalesce(max(CASE WHEN u.seen <= v.day THEN v.import_id ELSE NULL END), min(v.import_id)) AS import_id
        FROM {{day_history}} AS v
        INNER JOIN {{imports}} AS u ON u.id = v.import_id
        GROUP BY v.day, v.kind, v.part
    ) AS s
    INNER JOIN {{day_history}} AS h ON h.day = s.day AND h.kind = s.kind AND h.part = s.part
    INNER JOIN {{imports}} AS i ON i.id = h.import_id
    WHERE h.import_id > s.import_id AND i.seen >= CAST($first AS DATE) AND i.seen <= CAST($last AS DATE)
    GROUP BY s.day, s.kind, s.part
) AS c
