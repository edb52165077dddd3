-- A target that is removed.
DELETE FROM {{targets}}
WHERE metric = $1 AND period = $2 AND start_day = CAST($3 AS DATE) AND coalesce(channel, '') = $4
