-- One row: the number of orders that have parts in the import, but are missing in the store or have another currency.
SELECT count(*)
FROM (SELECT DISTINCT source, parent, currency FROM {{.from}} WHERE NOT gone) p
ANTI JOIN (
    SELECT source, key AS parent, original_currency AS currency FROM {{orders}}
    UNION ALL
    SELECT o.source, t.row_id, o.original_currency
    FROM {{landed_orders}} t INNER JOIN {{orders}} o ON o.source = t.source AND o.key = t.key
) o ON o.source = p.source AND o.parent = p.parent AND o.currency = p.currency
