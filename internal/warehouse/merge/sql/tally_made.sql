-- One row: the numbers of new rows, of old rows, and of new rows that replace an old row.
SELECT (SELECT count(*) FROM new_{{.part}}_made), (SELECT count(*) FROM old_{{.part}}_made),
    (SELECT count(*) FROM new_{{.part}}_made n SEMI JOIN old_{{.part}}_made o ON {{same "o" "n" .fact.Key}})
