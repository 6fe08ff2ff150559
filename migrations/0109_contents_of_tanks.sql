-- What evaluation needs to find a delivery above the limit of a tank. It only adds: 0.3.0 works with it.

-- Deliveries before it are not reported, so that an upgrade does not report the past. The default is the time of this migration, or
-- of the creation of the organization.
alter table organizations add column overfill_from timestamptz(3) not null default now();

-- A writer sees no other columns of tanks.
create view tank_contents as
select t.no as tank_no, coalesce(t.product, o.default_product) as product, t.fill_limit_percentage, o.overfill_from
from tanks t left join organizations o on o.no = t.organization_no;

grant select on tank_contents to tankwatch_writer, tankwatch_worker, tankwatch_operator;
