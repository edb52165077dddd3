-- What belongs to new and to returning customers, and which channel won whom.

-- The events of the slice, each with the one channel it belongs to by last touch.
CREATE OR REPLACE TEMP TABLE slice_credited AS
SELECT e.*, coalesce(s.channel, nullif(e.channel, ''), c.channel, 'unattributed') AS credited
FROM slice_events e
LEFT JOIN (SELECT source, key, channel FROM slice_shares WHERE model = 'last_touch') s
    ON s.source = e.source AND s.key = e.key
LEFT JOIN slice_codes c ON c.source = e.source AND c.key = e.key;

DELETE FROM {{segment_days}} WHERE day IN (SELECT day FROM slice);
INSERT INTO {{segment_days}}
SELECT day, credited, is_new, sum(orders), sum(charged), sum(tax), sum(shipping), sum(discounts), sum(refunds),
    sum(undated), sum(new_orders), sum(units)
FROM slice_credited
GROUP BY day, credited, is_new
ORDER BY day, credited, is_new;

DELETE FROM {{buyers}} WHERE day IN (SELECT day FROM slice);
INSERT INTO {{buyers}}
SELECT c.customer, CAST(md5_number_lower(c.customer) // 16 AS BIGINT), c.day, e.credited
FROM {{customers}} c JOIN slice_credited e ON e.source = c.source AND e.key = c.key
WHERE c.day IN (SELECT day FROM slice) AND e.orders > 0
ORDER BY c.day, c.customer;
