-- Imported rows that are older than the stored version are dropped. A version with a date is preferred to a version
-- without a date, in any order of import.
DELETE FROM stage_{{.fact.Name}} s USING before_{{.fact.Name}} b
WHERE {{same "b" "s" .fact.Key}} AND b.{{.fact.Version}} IS NOT NULL
    AND (s.{{.fact.Version}} IS NULL OR s.{{.fact.Version}} < b.{{.fact.Version}})
