-- Assigns profiles the customer that their customer hash (name) now belongs to. Profiles of one customer become one.
UPDATE {{profiles}} p SET customer = v.customer FROM moved v WHERE v.name = p.customer;
CREATE TEMP TABLE met AS
SELECT p.*, p.rowid AS came FROM {{profiles}} p SEMI JOIN moved v ON v.customer = p.customer;
DELETE FROM {{profiles}} p USING moved v WHERE v.customer = p.customer;
INSERT INTO {{profiles}}
{{template "sql/one_profile" "met"}}
