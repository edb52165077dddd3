-- Names and parents of campaigns, ad sets and ads, one row per platform, level and ID. Reports with IDs only get their
-- names from this table. Unknown parents are ''.
CREATE TABLE {{ad_names}} (
    platform VARCHAR, level VARCHAR, id VARCHAR, name VARCHAR, campaign_id VARCHAR, ad_set_id VARCHAR, updated_at TIMESTAMP
);

-- The rows of ad reports with their missing names filled in. A report of ads or ad sets without campaign IDs has its
-- most detailed ID in place of the campaign ID. If the campaign is known, its ID replaces that ID.
CREATE VIEW {{named_ad_days}} AS
SELECT d.source, d.platform, d.account, d.channel, d.day, d.campaign_id,
    CASE WHEN d.campaign_name <> '' THEN d.campaign_name ELSE coalesce(c.name, '') END AS campaign_name, d.ad_set_id,
    CASE WHEN d.ad_set_name <> '' THEN d.ad_set_name ELSE coalesce(s.name, '') END AS ad_set_name, d.ad_id,
    CASE WHEN d.ad_name <> '' THEN d.ad_name ELSE coalesce(d.known_as, '') END AS ad_name,
    d.country, d.region, d.impressions, d.clicks, d.spend, d.original, d.original_currency, d.conversions, d.value, d.attribution
FROM (
    SELECT t.* EXCLUDE (campaign_id),
        CASE WHEN t.campaign_id = t.own OR t.campaign_id = t.ad_set_id
            THEN coalesce(nullif(t.told, ''), nullif(g.campaign_id, ''), t.campaign_id) ELSE t.campaign_id END AS campaign_id
    FROM (
        SELECT r.* EXCLUDE (ad_set_id), r.ad_id AS own, a.name AS known_as, a.campaign_id AS told,
            CASE WHEN r.ad_set_id <> '' THEN r.ad_set_id ELSE coalesce(a.ad_set_id, '') END AS ad_set_id
        FROM ad_days AS r
        LEFT JOIN ad_names AS a ON a.level = 'ad' AND a.platform = r.platform AND a.id = r.ad_id
    ) AS t
    LEFT JOIN ad_names AS g ON g.level = 'ad_set' AND g.platform = t.platform AND g.id = t.ad_set_id
) AS d
LEFT JOIN ad_names AS c ON c.level = 'campaign' AND c.platform = d.platform AND c.id = d.campaign_id
LEFT JOIN ad_names AS s ON s.level = 'ad_set' AND s.platform = d.platform AND s.id = d.ad_set_id;
