-- The change feed, as in 0028, for tanks. It only adds: 0.2.0 works with it.
alter table tanks add column change_number bigint not null default 0;

create trigger number_new_tank before insert on tanks for each row execute function set_change_number();
create trigger number_changed_tank before update on tanks for each row
when ((old.owner_no, old.assigned_device_id, old.capacity, old.capacity_unit, old.custom_id,
       old.min_fill_alert_percentage, old.name, old.use_case, old.created_at, old.deleted_at,
       old.city, old.country, old.district, old.latitude, old.longitude, old.postal_code, old.region,
       old.street, old.street_number)
  is distinct from
      (new.owner_no, new.assigned_device_id, new.capacity, new.capacity_unit, new.custom_id,
       new.min_fill_alert_percentage, new.name, new.use_case, new.created_at, new.deleted_at,
       new.city, new.country, new.district, new.latitude, new.longitude, new.postal_code, new.region,
       new.street, new.street_number))
execute function set_change_number();
