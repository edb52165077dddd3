-- The days of the panel that change, and its maximum number of customers.
CREATE TEMP MACRO panel_size() AS {{.size}};
CREATE TEMP TABLE panel_dirty AS SELECT DISTINCT day FROM dirty WHERE day IS NOT NULL
