-- without transaction
-- The tanks with a handled condition, in the order of urgency. Few tanks have one.
create index concurrently fleet_tanks_handled on fleet_tanks (organization_no, threshold_on, empty_on, tank_no) where handled <> 0;
