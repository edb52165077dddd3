-- The roll-ups have three segments: is_new is NULL for orders without a customer, which were new before, and for refunds
-- of orders that the store does not have and totals of surfaces, which were returning. Their days are rolled up again.
INSERT INTO {{rebuild_days}}
SELECT day FROM {{order_rows}} WHERE customer = ''
UNION
SELECT day FROM {{refunds}} WHERE day IS NOT NULL
UNION
SELECT day FROM {{surface_days}};
