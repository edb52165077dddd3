-- The roll-ups have three segments. is_new is NULL for orders without a customer, which previously counted as new. It
-- is also NULL for refunds of unknown orders and for totals of surfaces, which previously counted as returning. The
-- next import rebuilds their days.
INSERT INTO {{rebuild_days}}
SELECT day FROM {{order_rows}} WHERE customer = ''
UNION
SELECT day FROM {{refunds}} WHERE day IS NOT NULL
UNION
SELECT day FROM {{surface_days}};
