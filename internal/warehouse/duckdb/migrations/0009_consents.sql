-- When the version of a profile was updated that told each consent: some versions tell neither, and the latest that does
-- counts. NULL: the version has no date.
ALTER TABLE {{profiles}} ADD COLUMN email_at TIMESTAMP;

ALTER TABLE {{profiles}} ADD COLUMN sms_at TIMESTAMP;

UPDATE {{profiles}} SET
    email_at = CASE WHEN email <> '' THEN updated_at END,
    sms_at = CASE WHEN sms <> '' THEN updated_at END;
