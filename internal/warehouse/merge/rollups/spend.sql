-- The roll-ups of spend for the days in spend_dirty, given by in_spend.

DELETE FROM {{spend_days}} WHERE in_spend(day);
INSERT INTO {{spend_days}}
SELECT day, channel, platform, sum(spend), sum(impressions), sum(clicks), sum(conversions), sum(value)
FROM (
    SELECT day, channel, platform, spend, impressions, clicks, conversions, value FROM {{ad_days}} WHERE in_spend(day)
    UNION ALL
    SELECT day, channel, '', spend, 0, 0, 0, 0 FROM {{channel_spend}} WHERE in_spend(day)
)
GROUP BY day, channel, platform
ORDER BY day, channel, platform;

-- Ad rows with their current names, read once: campaigns are sums of their ads.
CREATE TEMP TABLE dirty_creatives AS
SELECT day, platform, campaign_id, ad_set_id, ad_id, min(channel) AS channel, min(account) AS account,
    max(campaign_name) AS campaign_name, max(ad_set_name) AS ad_set_name, max(ad_name) AS ad_name,
    max(attribution) AS attribution, sum(spend) AS spend, sum(impressions) AS impressions, sum(clicks) AS clicks,
    sum(conversions) AS conversions, sum(value) AS value
FROM {{named_ad_days}}
WHERE in_spend(day)
GROUP BY day, platform, campaign_id, ad_set_id, ad_id;

DELETE FROM {{campaign_days}} WHERE in_spend(day);
INSERT INTO {{campaign_days}}
SELECT day, platform, campaign_id, min(channel), min(account), max(campaign_name), max(attribution), sum(spend),
    sum(impressions), sum(clicks), sum(conversions), sum(value)
FROM dirty_creatives
GROUP BY day, platform, campaign_id
ORDER BY day, platform, campaign_id;

DELETE FROM {{creative_days}} WHERE in_spend(day);
INSERT INTO {{creative_days}}
SELECT * FROM dirty_creatives
ORDER BY day, platform, campaign_id, ad_set_id, ad_id;

DELETE FROM {{geo_spend_days}} WHERE in_spend(day);
INSERT INTO {{geo_spend_days}}
SELECT day, country, region, channel, sum(spend)
FROM (
    SELECT day, country, region, channel, spend FROM {{ad_days}} WHERE in_spend(day)
    UNION ALL
    SELECT day, '', region, channel, spend FROM {{channel_spend}} WHERE in_spend(day)
)
GROUP BY day, country, region, channel
ORDER BY day, country, region, channel;

DROP TABLE dirty_creatives;
