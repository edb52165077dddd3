-- One row: the numbers of new rows, of old rows, and of new ones that replace an old one.
SELECT (SELECT count(*) FROM new_{{.part}}_made), (SELECT count(*) FROM old_{{.part}}_made),
    (SELECT count(*) FROM new_{{.part}}_made n SEMI JOIN old_{{.part}}_made o ON {{same "o" "n" .fact.Key}})
