-- The days that are rebuilt together.
DELETE FROM slice;
INSERT INTO slice SELECT DISTINCT day FROM dirty WHERE day >= DATE '{{.first}}' AND day <= DATE '{{.last}}'
