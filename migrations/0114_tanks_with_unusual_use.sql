-- without transaction
-- The tanks whose use was unusual, by when. Few tanks have been.
create index concurrently fleet_tanks_unusual on fleet_tanks (organization_no, unusual_use_at) where unusual_use_at > '-infinity';
