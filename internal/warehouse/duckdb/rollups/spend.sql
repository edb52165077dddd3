-- The roll-ups of spend for the days in spend_dirty.

DELETE FROM {{spend_days}} WHERE day IN (SELECT day FROM spend_dirty);
INSERT INTO {{spend_days}}
SELECT day, channel, platform, sum(spend), sum(impressions), sum(clicks), sum(conversions), sum(value)
FROM (
    SELECT day, channel, platform, spend, impressions, clicks, conversions, value FROM {{ad_days}}
    UNION ALL
    SELECT day, channel, '', spend, 0, 0, 0, 0 FROM {{channel_spend}}
)
WHERE day IN (SELECT day FROM spend_dirty)
GROUP BY day, channel, platform
ORDER BY day, channel, platform;

DELETE FROM {{campaign_days}} WHERE day IN (SELECT day FROM spend_dirty);
INSERT INTO {{campaign_days}}
SELECT day, platform, campaign_id, min(channel), min(account), max(campaign_name), max(attribution), sum(spend),
    sum(impressions), sum(clicks), sum(conversions), sum(value)
FROM {{named_ad_days}}
WHERE day IN (SELECT day FROM spend_dirty)
GROUP BY day, platform, campaign_id
ORDER BY day, platform, campaign_id;

DELETE FROM {{creative_days}} WHERE day IN (SELECT day FROM spend_dirty);
INSERT INTO {{creative_days}}
SELECT day, platform, campaign_id, ad_set_id, ad_id, min(channel), min(account), max(campaign_name),
    max(ad_set_name), max(ad_name), max(attribution), sum(spend), sum(impressions), sum(clicks), sum(conversions),
    sum(value)
FROM {{named_ad_days}}
WHERE day IN (SELECT day FROM spend_dirty)
GROUP BY day, platform, campaign_id, ad_set_id, ad_id
ORDER BY day, platform, campaign_id, ad_set_id, ad_id;

DELETE FROM {{geo_spend_days}} WHERE day IN (SELECT day FROM spend_dirty);
INSERT INTO {{geo_spend_days}}
SELECT day, country, region, channel, sum(spend)
FROM (
    SELECT day, country, region, channel, spend FROM {{ad_days}}
    UNION ALL
    SELECT day, '', region, channel, spend FROM {{channel_spend}}
)
WHERE day IN (SELECT day FROM spend_dirty)
GROUP BY day, country, region, channel
ORDER BY day, country, region, channel;
