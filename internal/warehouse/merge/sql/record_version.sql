-- The data version after the import.
UPDATE {{data_version}} SET version = $1
