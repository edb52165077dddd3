-- The days of a window that an ad report covers, with or without rows.
INSERT INTO window_days
SELECT $1, $2, $3, {{each_day "CAST($4 AS DATE)" "CAST($5 AS DATE)"}}
