-- One row: the number of rows on new account days, the numbers of added and removed rows on other days, and the number
-- of added rows with the key of a removed row.
SELECT (SELECT count(*) FROM stage_ad_days t ANTI JOIN days_before d ON {{same "d" "t" .unit}}),
    (SELECT coalesce(CAST(sum(more) AS BIGINT), 0) FROM differing WHERE more > 0),
    (SELECT coalesce(CAST(-sum(more) AS BIGINT), 0) FROM differing WHERE more < 0),
    (
        SELECT coalesce(CAST(sum(c.more) AS BIGINT), 0)
        FROM differing c
        SEMI JOIN (SELECT * FROM differing WHERE more < 0) g ON {{same "g" "c" .fact.Key}}
        WHERE c.more > 0
    )
