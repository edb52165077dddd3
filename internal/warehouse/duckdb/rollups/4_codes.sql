-- The channel that an order's coupons stand for: that of the mapped code which took off most.
CREATE OR REPLACE TEMP TABLE slice_codes AS
SELECT c.source, c.key, first(m.channel ORDER BY c.discount DESC, c.code) AS channel
FROM {{order_coupons}} c JOIN {{coupon_channels}} m ON m.code = c.code
WHERE m.channel <> '' AND c.key >= getvariable('first_event') AND c.key <= getvariable('last_event')
GROUP BY c.source, c.key;
