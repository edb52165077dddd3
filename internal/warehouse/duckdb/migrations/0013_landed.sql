-- Parts of orders that connectors store in separate tables, one row per row of such a table. Amounts are minor units of
-- the row's own currency. The import creates order_lines and order_coupons from them, in any order of import.

-- Further data of an order in the connector's order table. row_id is the order's ID in parts that do not have its key.
-- subtotal is the total of its lines after discounts, or NULL if unknown.
CREATE TABLE {{landed_orders}} (
    source VARCHAR, key VARCHAR, row_id VARCHAR, subtotal BIGINT, discounts BIGINT, updated_at TIMESTAMP
);

-- parent is the key of the order, or its row_id. Lines of an order are sorted by position, if it is known.
CREATE TABLE {{landed_lines}} (
    source VARCHAR, parent VARCHAR, id VARCHAR, row_id VARCHAR, place BIGINT, sku VARCHAR, title VARCHAR, quantity BIGINT,
    gross BIGINT, discount BIGINT, currency VARCHAR, gone BOOLEAN, synced_at TIMESTAMP
);

-- Discounts of a line, by its ID or row_id.
CREATE TABLE {{landed_discounts}} (
    source VARCHAR, line VARCHAR, place BIGINT, amount BIGINT, currency VARCHAR, synced_at TIMESTAMP
);

-- amount is NULL if the discount of the code is unknown.
CREATE TABLE {{landed_codes}} (
    source VARCHAR, parent VARCHAR, code VARCHAR, amount BIGINT, currency VARCHAR, gone BOOLEAN, synced_at TIMESTAMP
);

-- The orders with lines ('lines') or coupons ('codes') that were created from those tables.
CREATE TABLE {{assembled_orders}} (source VARCHAR, key VARCHAR, part VARCHAR);
