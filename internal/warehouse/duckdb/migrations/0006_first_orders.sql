-- First orders of customers are found by the number of their kind, which costs less than comparing the texts of
-- sources. The channel of a customer no longer needs a number. The compression of columns is fixed, see 0003.
ALTER TABLE {{customers}} RENAME TO customers_before;

CREATE TABLE {{customers}} (
    customer VARCHAR USING COMPRESSION uncompressed,
    first_at TIMESTAMP USING COMPRESSION bitpacking,
    day DATE USING COMPRESSION bitpacking,
    kind INTEGER USING COMPRESSION bitpacking,
    key VARCHAR USING COMPRESSION uncompressed
);

INSERT INTO {{customers}}
SELECT c.customer, c.first_at, c.day, r.kind, c.key
FROM {{customers_before}} AS c
INNER JOIN {{order_kinds}} AS k ON k.source = c.source
INNER JOIN {{order_rows}} AS r ON r.kind = k.kind AND r.key = c.key
ORDER BY c.first_at, c.customer;

DROP TABLE {{customers_before}};

-- One row per customer: the day of the first order and its last-touch channel.
DROP TABLE {{buyers}};

CREATE TABLE {{buyers}} (
    customer VARCHAR USING COMPRESSION uncompressed,
    day DATE USING COMPRESSION bitpacking,
    channel VARCHAR USING COMPRESSION dictionary
);

-- The days with roll-ups that the next import rebuilds, regardless of its rows. Stores of earlier releases lack the
-- roll-ups of 0004 and 0005.
CREATE TABLE {{rebuild_days}} (day DATE);

INSERT INTO {{rebuild_days}}
SELECT day FROM {{order_rows}} UNION SELECT day FROM {{refunds}} WHERE day IS NOT NULL;
