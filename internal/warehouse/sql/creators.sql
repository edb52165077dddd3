-- One row per creator, with the names from the first source by name. has_code and has_link are the signals
-- of the creator in any window.
SELECT
    c.id AS id, c.name AS name, c.handle AS handle, c.platform AS platform,
    CASE WHEN k.creator IS NULL THEN 0 ELSE 1 END AS has_code, CASE WHEN l.creator IS NULL THEN 0 ELSE 1 END AS has_link
FROM (
    SELECT id, min(source) AS source, argMin(name, source) AS name, argMin(handle, source) AS handle,
        argMin(platform, source) AS platform
    FROM {{creators}}
    GROUP BY id
) AS c
LEFT JOIN (
    SELECT creator FROM {{creator_codes}}
    UNION
    SELECT creator FROM {{coupon_channels}} WHERE creator <> ''
) AS k ON k.creator = c.id
LEFT JOIN (SELECT DISTINCT creator FROM {{link_days}}) AS l ON l.creator = c.id
ORDER BY c.name, c.id
