-- One row per account of the report and stored account that have campaigns with the same ID or name on the same day, with
-- the first and last such day. One of the two accounts is that of reports without an account. Rows that the report
-- replaces do not count.
WITH stored AS (
    SELECT DISTINCT t.source, t.platform, t.account, t.day, t.campaign_id, t.campaign_name
    FROM {{ad_days}} t ANTI JOIN window_days w ON {{same "w" "t" .unit}}
    WHERE t.day >= (SELECT min(day) FROM stage_ad_days) AND t.day <= (SELECT max(day) FROM stage_ad_days)
), before AS (
    SELECT source, platform, account, day, campaign_id AS campaign FROM stored
    UNION
    SELECT source, platform, account, day, campaign_name FROM stored
), report AS (
    SELECT source, platform, account, day, campaign_id AS campaign FROM stage_ad_days
    UNION
    SELECT source, platform, account, day, campaign_name FROM stage_ad_days
)
SELECT r.account, b.account, min(r.day), max(r.day)
FROM report r
INNER JOIN before b ON b.source = r.source AND b.platform = r.platform AND b.day = r.day AND b.campaign = r.campaign
WHERE r.account <> b.account AND '{{.unnamed}}' IN (r.account, b.account) AND r.campaign <> ''
GROUP BY r.source, r.platform, r.account, b.account
ORDER BY ALL
