-- One row per fact table: its number of rows, including canceled and test orders.
-- heavy: reads all facts.
SELECT 'orders' AS fact, count(*) AS fact_rows FROM {{order_rows}}
UNION ALL
SELECT 'profiles' AS fact, count(*) AS fact_rows FROM {{profiles}}
UNION ALL
SELECT 'order_lines' AS fact, count(*) AS fact_rows FROM {{order_lines}}
UNION ALL
SELECT 'refunds' AS fact, count(*) AS fact_rows FROM {{refunds}}
UNION ALL
SELECT 'order_coupons' AS fact, count(*) AS fact_rows FROM {{order_coupons}}
UNION ALL
SELECT 'touches' AS fact, count(*) AS fact_rows FROM {{touches}}
UNION ALL
SELECT 'ad_days' AS fact, count(*) AS fact_rows FROM {{ad_days}}
UNION ALL
SELECT 'ad_names' AS fact, count(*) AS fact_rows FROM {{ad_names}}
UNION ALL
SELECT 'ad_states' AS fact, count(*) AS fact_rows FROM {{ad_states}}
UNION ALL
SELECT 'channel_spend' AS fact, count(*) AS fact_rows FROM {{channel_spend}}
UNION ALL
SELECT 'products' AS fact, count(*) AS fact_rows FROM {{products}}
UNION ALL
SELECT 'product_costs' AS fact, count(*) AS fact_rows FROM {{product_costs}}
UNION ALL
SELECT 'message_days' AS fact, count(*) AS fact_rows FROM {{message_days}}
UNION ALL
SELECT 'survey_responses' AS fact, count(*) AS fact_rows FROM {{survey_responses}}
UNION ALL
SELECT 'creators' AS fact, count(*) AS fact_rows FROM {{creators}}
UNION ALL
SELECT 'creator_codes' AS fact, count(*) AS fact_rows FROM {{creator_codes}}
UNION ALL
SELECT 'creator_costs' AS fact, count(*) AS fact_rows FROM {{creator_costs}}
UNION ALL
SELECT 'link_days' AS fact, count(*) AS fact_rows FROM {{link_days}}
UNION ALL
SELECT 'coupon_channels' AS fact, count(*) AS fact_rows FROM {{coupon_channels}}
UNION ALL
SELECT 'targets' AS fact, count(*) AS fact_rows FROM {{targets}}
UNION ALL
SELECT 'fx_rates' AS fact, count(*) AS fact_rows FROM {{fx_rates}}
UNION ALL
SELECT 'region_days' AS fact, count(*) AS fact_rows FROM {{region_days}}
UNION ALL
SELECT 'surface_days' AS fact, count(*) AS fact_rows FROM {{surface_days}}
