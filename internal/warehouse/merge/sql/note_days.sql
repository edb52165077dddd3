-- The days of changed rows, of both versions.
INSERT INTO {{.into}} SELECT DISTINCT {{.fact.Day}} FROM {{.from}}
