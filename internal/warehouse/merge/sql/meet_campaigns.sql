-- Totals of a campaign from an export and from a Singer tap become one row. Their days are in the time zone of an
-- account or of the workspace; the stored day is retained. Some exports have the campaign's name instead of its ID. In
-- that case, name and day identify the campaign, and the ID is retained, in any order of import. Totals of the whole
-- campaign replace totals of its messages.
UPDATE stage_message_days s SET entity_id = t.entity_id
FROM (
    SELECT source, channel, entity, entity_name, day, min(entity_id) AS entity_id
    FROM {{message_days}}
    WHERE since_send AND entity_id <> entity_name
    GROUP BY source, channel, entity, entity_name, day
    HAVING count(DISTINCT entity_id) = 1
) t
WHERE s.since_send AND s.entity_id = s.entity_name AND t.source = s.source AND t.channel = s.channel
    AND t.entity = s.entity AND t.entity_name = s.entity_name AND t.day = s.day;

UPDATE stage_message_days s SET day = t.day
FROM {{message_days}} t
WHERE s.since_send AND t.since_send AND t.source = s.source AND t.channel = s.channel AND t.entity = s.entity
    AND t.entity_id = s.entity_id AND t.message_id = s.message_id AND abs(t.day - s.day) = 1;

DELETE FROM {{message_days}} t USING stage_message_days s
WHERE s.since_send AND t.since_send AND t.source = s.source AND t.channel = s.channel AND t.entity = s.entity AND (
    t.entity_id = s.entity_id AND t.message_id <> '' AND s.message_id = ''
    OR t.entity_id = t.entity_name AND s.entity_id <> s.entity_name AND t.entity_name = s.entity_name AND t.day = s.day
)
