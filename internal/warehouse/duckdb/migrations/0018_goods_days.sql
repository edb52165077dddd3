-- One row per day and sales surface with order lines: units, the net amount charged, the number of units with a known
-- cost, the amount charged for them and their cost of goods. The next import fills the days of existing lines.
CREATE TABLE {{goods_days}} (
    day DATE, surface VARCHAR, units BIGINT, net BIGINT, costed BIGINT, costed_net BIGINT, cost BIGINT
);

INSERT INTO {{rebuild_days}} SELECT DISTINCT day FROM {{product_days}};
