-- At most one row: the channel and the creator of a coupon code, each '' if there is none. A code without a row is not
-- mapped.
SELECT coalesce(channel, '') AS channel, coalesce(creator, '') AS creator
FROM {{coupon_channels}}
WHERE code = $code
