-- Who is the same customer. Each row says that a shop's id of a customer belongs to a mail address, both as keyed hashes.
CREATE TABLE {{customer_ties}} (source VARCHAR, known_as VARCHAR, customer VARCHAR);

-- Made of the ties: a row for each hash that they name, with the one that stands for the customer everywhere else. Of all
-- addresses that ids tie together it is the first in the alphabet, so it is the same in whatever order ties come.
CREATE TABLE {{identities}} (known_as VARCHAR, customer VARCHAR);
