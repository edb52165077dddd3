-- The customers with a changed first order, and the days to rebuild: those of orders that became a first order or
-- stopped being one, and those of their refunds.
CREATE TEMP TABLE first_changed AS
(SELECT * FROM first_before EXCEPT SELECT * FROM first_after)
UNION
(SELECT * FROM first_after EXCEPT SELECT * FROM first_before);

INSERT INTO dirty SELECT DISTINCT day FROM first_changed;
INSERT INTO dirty
SELECT DISTINCT r.day
FROM {{refunds}} r
SEMI JOIN (SELECT k.source, f.key FROM first_changed f INNER JOIN {{order_kinds}} k ON k.kind = f.kind) f
    ON f.source = r.source AND f.key = r.key
WHERE r.day IS NOT NULL;

DELETE FROM {{customers}} c USING first_changed f WHERE f.customer = c.customer;
INSERT INTO {{customers}}
SELECT a.* FROM first_after a SEMI JOIN first_changed f ON f.customer = a.customer
ORDER BY first_at, customer
