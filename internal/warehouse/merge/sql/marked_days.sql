-- The days that were marked earlier, by a migration.
INSERT INTO dirty SELECT day FROM {{rebuild_days}};
DELETE FROM {{rebuild_days}}
