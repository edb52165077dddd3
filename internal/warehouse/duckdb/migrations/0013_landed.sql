-- Parts of orders as connectors keep them in tables of their own, one row per row of such a table. Amounts are minor units of
-- the row's own currency. The import makes order_lines and order_coupons of them, whichever table comes first.

-- What the table of orders tells of an order besides. row_id is what its parts call it where they do not have its key; subtotal
-- is what its lines come to after discounts, NULL where that is not told.
CREATE TABLE {{landed_orders}} (
    source VARCHAR, key VARCHAR, row_id VARCHAR, subtotal BIGINT, discounts BIGINT, updated_at TIMESTAMP
);

-- parent is the key of the order, or its row_id. Of an order's lines the position tells the order, where it is known.
CREATE TABLE {{landed_lines}} (
    source VARCHAR, parent VARCHAR, id VARCHAR, row_id VARCHAR, place BIGINT, sku VARCHAR, title VARCHAR, quantity BIGINT,
    gross BIGINT, discount BIGINT, currency VARCHAR, gone BOOLEAN, synced_at TIMESTAMP
);

-- What was taken off a line, by its id or row_id.
CREATE TABLE {{landed_discounts}} (
    source VARCHAR, line VARCHAR, place BIGINT, amount BIGINT, currency VARCHAR, synced_at TIMESTAMP
);

-- amount is NULL where the table does not tell what the code took off.
CREATE TABLE {{landed_codes}} (
    source VARCHAR, parent VARCHAR, code VARCHAR, amount BIGINT, currency VARCHAR, gone BOOLEAN, synced_at TIMESTAMP
);

-- The orders whose lines ('lines') or coupons ('codes') were made of those tables.
CREATE TABLE {{assembled_orders}} (source VARCHAR, key VARCHAR, part VARCHAR);
