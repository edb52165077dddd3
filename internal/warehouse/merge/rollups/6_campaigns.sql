-- The orders that last touch credits to campaigns.
DELETE FROM {{campaign_credit_days}} WHERE in_slice(day);
INSERT INTO {{campaign_credit_days}}
SELECT e.day, s.platform, s.campaign, sum(e.orders), sum(e.charged), sum(e.tax), sum(e.shipping), sum(e.discounts),
    sum(e.refunds), sum(e.undated), sum(e.new_orders), sum(e.units)
FROM slice_events e JOIN slice_shares s ON s.source = e.source AND s.key = e.key
WHERE s.model = 'last_touch' AND s.campaign <> ''
GROUP BY e.day, s.platform, s.campaign
ORDER BY e.day, s.platform, s.campaign;
