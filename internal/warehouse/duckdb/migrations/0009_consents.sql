-- The update time of the profile version that contains each consent. Some versions contain no consent; the latest
-- version with a consent is used. NULL: the version has no date.
ALTER TABLE {{profiles}} ADD COLUMN email_at TIMESTAMP;

ALTER TABLE {{profiles}} ADD COLUMN sms_at TIMESTAMP;

UPDATE {{profiles}} SET
    email_at = CASE WHEN email <> '' THEN updated_at END,
    sms_at = CASE WHEN sms <> '' THEN updated_at END;
