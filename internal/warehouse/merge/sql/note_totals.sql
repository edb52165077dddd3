-- The imported refunds without a day, before stored refunds are added.
CREATE TEMP TABLE totals_came AS SELECT source, key, refund FROM stage_refunds WHERE date_unknown
