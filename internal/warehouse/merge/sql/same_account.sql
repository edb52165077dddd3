-- Adds the days of stored reports without an account that the report replaces. The report must have an account and all
-- campaigns of the day. Both reports must have campaign IDs, because an ID identifies a campaign of one account. In
-- reports without IDs, the ID of a campaign is its name.
INSERT INTO window_days
SELECT t.source, t.platform, '{{.unnamed}}', t.day
FROM (
    SELECT DISTINCT source, platform, day, campaign_id, campaign_name FROM {{ad_days}}
    WHERE account = '{{.unnamed}}' AND day >= (SELECT min(day) FROM stage_ad_days) AND day <= (SELECT max(day) FROM stage_ad_days)
) t
LEFT JOIN (
    SELECT DISTINCT source, platform, day, campaign_id FROM stage_ad_days
    WHERE account <> '{{.unnamed}}' AND campaign_id <> campaign_name
) s ON s.source = t.source AND s.platform = t.platform AND s.day = t.day AND s.campaign_id = t.campaign_id
GROUP BY t.source, t.platform, t.day
HAVING bool_and(s.day IS NOT NULL AND t.campaign_id <> t.campaign_name)
