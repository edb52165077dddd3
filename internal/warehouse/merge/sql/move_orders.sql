-- Orders get the customer of their name.
UPDATE {{order_rows}} r SET customer = v.customer FROM moved v WHERE v.name = r.customer
