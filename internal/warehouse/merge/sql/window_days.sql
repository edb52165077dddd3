-- The accounts and days of an ad report: those of its rows, and below those of the windows that it covers.
CREATE TEMP TABLE window_days AS SELECT DISTINCT {{columns "t" .unit}} FROM stage_ad_days t
