-- The product of tanks that name none.
alter table organizations add column default_product text not null default 'propane';

-- The new column comes last, so that 0.3.0 reads the same columns.
create or replace view organization_settings as
select no as organization_no, code, name, language, time_zone, phone, reply_to, default_product
from organizations where deleted_at is null;

grant select (default_product) on organizations to tankwatch_api, tankwatch_manager;
grant update (default_product) on organizations to tankwatch_manager;
