-- One row: the first and last day of the report.
SELECT min(day), max(day) FROM window_days
