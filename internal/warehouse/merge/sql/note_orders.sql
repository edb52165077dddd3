-- The current days and customers of the changed orders.
SET VARIABLE first_touched = (SELECT min(key) FROM touched);
SET VARIABLE last_touched = (SELECT max(key) FROM touched);

CREATE OR REPLACE TEMP TABLE touched_rows AS
SELECT DISTINCT r.day, r.customer
FROM {{order_rows}} r
INNER JOIN {{order_kinds}} k ON k.kind = r.kind
SEMI JOIN touched t ON t.source = k.source AND t.key = r.key
WHERE {{within "r" "touched"}};

INSERT INTO dirty SELECT DISTINCT day FROM touched_rows;
INSERT INTO touched_customers SELECT DISTINCT customer FROM touched_rows WHERE customer <> '';
INSERT INTO dirty
SELECT DISTINCT r.day FROM {{refunds}} r SEMI JOIN touched t ON t.source = r.source AND t.key = r.key
WHERE r.day IS NOT NULL AND {{within "r" "touched"}}
