-- The coupons of the slice's orders.
CREATE OR REPLACE TEMP TABLE slice_coupons AS
SELECT e.source, e.key, e.day, c.code, e.charged, c.discount, e.new_orders
FROM {{order_coupons}} c JOIN slice_events e ON e.source = c.source AND e.key = c.key
WHERE e.orders > 0 AND c.key >= getvariable('first_event') AND c.key <= getvariable('last_event');

DELETE FROM {{coupon_days}} WHERE in_slice(day);
INSERT INTO {{coupon_days}}
SELECT day, code, count(*), sum(charged), sum(discount), sum(CASE WHEN new_orders > 0 THEN 1 ELSE 0 END)
FROM slice_coupons
GROUP BY day, code
ORDER BY day, code;

DELETE FROM {{coupon_order_days}} WHERE in_slice(day);
INSERT INTO {{coupon_order_days}}
SELECT day, count(*), sum(charged), sum(discount), sum(CASE WHEN new_orders > 0 THEN 1 ELSE 0 END)
FROM (
    SELECT day, max(charged) AS charged, sum(discount) AS discount, max(new_orders) AS new_orders
    FROM slice_coupons
    GROUP BY source, key, day
)
GROUP BY day
ORDER BY day;
