-- The accounts and days of the rows of an ad report. The accounts and days of its windows are added later.
CREATE TEMP TABLE window_days AS SELECT DISTINCT {{columns "t" .unit}} FROM stage_ad_days t
