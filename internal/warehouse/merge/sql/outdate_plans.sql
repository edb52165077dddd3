-- Cached statements are planned again after the transaction. DuckDB keeps a plan until the catalog changes. However,
-- plans assume properties of the data, such as no NULL or no day after the last day, and imports change these
-- properties. The comment of data_version is the place in the commits, which an import into a file keeps.
COMMENT ON TABLE {{import_tables}} IS 'Changed with every import, so that earlier plans become invalid'
