-- The imported refunds without a day, before stored ones are added.
CREATE TEMP TABLE totals_came AS SELECT source, key, refund FROM stage_refunds WHERE date_unknown
