-- The channel of an order's coupons: the channel of the mapped code with the largest discount.
CREATE OR REPLACE TEMP TABLE slice_codes AS
SELECT c.source, c.key, first(m.channel ORDER BY c.discount DESC, c.code) AS channel
FROM {{order_coupons}} c JOIN {{coupon_channels}} m ON m.code = c.code
WHERE m.channel <> '' AND c.key >= getvariable('first_event') AND c.key <= getvariable('last_event')
GROUP BY c.source, c.key;
