-- Assigns orders the customer that their customer hash (name) now belongs to.
UPDATE {{order_rows}} r SET customer = v.customer FROM moved v WHERE v.name = r.customer
