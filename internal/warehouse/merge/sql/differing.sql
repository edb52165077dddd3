-- The rows with a number of copies that differs from the stored one, on account days with stored rows. One pass counts
-- imported and stored rows, because rows have no unique key.
CREATE TEMP TABLE differing AS
SELECT *
FROM (
    SELECT * EXCLUDE (side), CAST(sum(side) AS BIGINT) AS more
    FROM (
        SELECT t.*, 1 AS side FROM stage_ad_days t SEMI JOIN days_before d ON {{same "d" "t" .unit}}
        UNION ALL
        SELECT *, -1 FROM before_ad_days
    )
    GROUP BY ALL
)
WHERE more <> 0
