-- Adds the days of stored reports of one ad product, such as Sponsored Brands, whose account does not name the product. An
-- earlier release stored such reports. The report must name the product and have all campaigns of the day.
INSERT INTO window_days
SELECT t.source, t.platform, t.account, t.day
FROM (
    SELECT DISTINCT source, platform, account, day, campaign_id FROM {{ad_days}}
    WHERE day >= (SELECT min(day) FROM stage_ad_days) AND day <= (SELECT max(day) FROM stage_ad_days)
) t
LEFT JOIN (
    SELECT DISTINCT source, platform, account, day, campaign_id FROM stage_ad_days WHERE contains(account, ' (Sponsored ')
) s ON s.source = t.source AND s.platform = t.platform AND s.day = t.day AND s.campaign_id = t.campaign_id
    AND starts_with(s.account, t.account || ' (Sponsored ')
GROUP BY t.source, t.platform, t.account, t.day
HAVING bool_and(s.day IS NOT NULL)
