-- Ties between hashes of one customer. Each row connects a shop's ID of a customer with an email address, both as keyed
-- hashes.
CREATE TABLE {{customer_ties}} (source VARCHAR, known_as VARCHAR, customer VARCHAR);

-- Derived from the ties: one row per hash in a tie, with the hash that other tables use for the customer. This is the
-- first hash, in sort order, of all addresses that IDs tie together. It does not depend on the order of the ties.
CREATE TABLE {{identities}} (known_as VARCHAR, customer VARCHAR);
