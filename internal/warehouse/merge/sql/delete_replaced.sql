-- The stored rows of the account days to write.
DELETE FROM {{ad_days}} t USING replaced r WHERE {{same "r" "t" .unit}}
