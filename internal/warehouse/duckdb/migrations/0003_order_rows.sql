-- Orders in several tables. Most text of an order is one of a few values, and storing it once per order costs more than
-- all other columns. Therefore, the tables of kinds and places contain each combination once. The view orders is the
-- previous fact table. DuckDB looks up the view's table names in the file that contains the view, under any attached
-- name.
--
-- Customer keys had 128 bits as 32 hex characters. They now have the first 72 of these bits as 12 base64 characters.
--
-- The compression of each column is fixed, because testing all methods costs as much as writing. Keys and customers are
-- hardly compressible.

CREATE TABLE {{order_kinds}} (
    kind INTEGER, source VARCHAR, surface VARCHAR, channel VARCHAR, original_currency VARCHAR, status VARCHAR,
    cancelled BOOLEAN, test BOOLEAN
);

CREATE TABLE {{order_places}} (place INTEGER, country VARCHAR, region VARCHAR);

-- One row per order. The name is NULL if it equals the key.
CREATE TABLE {{order_rows}} (
    key VARCHAR USING COMPRESSION uncompressed,
    name VARCHAR USING COMPRESSION uncompressed,
    placed_at TIMESTAMP USING COMPRESSION bitpacking,
    day DATE USING COMPRESSION bitpacking,
    customer VARCHAR USING COMPRESSION uncompressed,
    charged BIGINT USING COMPRESSION bitpacking,
    tax BIGINT USING COMPRESSION bitpacking,
    shipping BIGINT USING COMPRESSION bitpacking,
    discounts BIGINT USING COMPRESSION bitpacking,
    original BIGINT USING COMPRESSION bitpacking,
    units BIGINT USING COMPRESSION bitpacking,
    updated_at TIMESTAMP USING COMPRESSION bitpacking,
    kind INTEGER USING COMPRESSION bitpacking,
    place INTEGER USING COMPRESSION bitpacking
);

INSERT INTO {{order_kinds}}
SELECT row_number() OVER (), *
FROM (SELECT DISTINCT source, surface, channel, original_currency, status, cancelled, test FROM {{orders}});

INSERT INTO {{order_places}}
SELECT row_number() OVER (), * FROM (SELECT DISTINCT country, region FROM {{orders}});

UPDATE {{orders}} SET customer = translate(to_base64(unhex(customer[1:18])), '+/', '-_')
WHERE regexp_full_match(customer, '[0-9a-f]{32}');

INSERT INTO {{order_rows}}
SELECT o.key, nullif(o.name, o.key), o.placed_at, o.day, o.customer, o.charged, o.tax, o.shipping, o.discounts,
    o.original, o.units, o.updated_at, k.kind, p.place
FROM {{orders}} AS o
INNER JOIN {{order_kinds}} AS k
    ON k.source = o.source AND k.surface = o.surface AND k.channel = o.channel
        AND k.original_currency = o.original_currency AND k.status = o.status AND k.cancelled = o.cancelled
        AND k.test = o.test
INNER JOIN {{order_places}} AS p ON p.country = o.country AND p.region = o.region
ORDER BY o.placed_at, o.key;

DROP TABLE {{orders}};

CREATE VIEW {{orders}} AS
SELECT k.source, r.key, coalesce(r.name, r.key) AS name, r.placed_at, r.day, k.surface, r.customer, k.channel,
    r.charged, r.tax, r.shipping, r.discounts, r.original, k.original_currency, k.status, k.cancelled, k.test,
    p.country, p.region, r.units, r.updated_at
FROM order_rows AS r
INNER JOIN order_kinds AS k ON k.kind = r.kind
INNER JOIN order_places AS p ON p.place = r.place;

-- The first orders of customers, compressed in the same way.
ALTER TABLE {{customers}} RENAME TO customers_before;

CREATE TABLE {{customers}} (
    customer VARCHAR USING COMPRESSION uncompressed,
    first_at TIMESTAMP USING COMPRESSION bitpacking,
    day DATE USING COMPRESSION bitpacking,
    source VARCHAR USING COMPRESSION dictionary,
    key VARCHAR USING COMPRESSION uncompressed
);

UPDATE {{customers_before}} SET customer = translate(to_base64(unhex(customer[1:18])), '+/', '-_')
WHERE regexp_full_match(customer, '[0-9a-f]{32}');

INSERT INTO {{customers}} SELECT * FROM {{customers_before}};

DROP TABLE {{customers_before}};
