-- The text of a tank for the search: its own words, and those of its owner.
create or replace function tank_text(t tanks, c customers) returns text stable parallel safe language sql as $$
  select ' ' || search_text(concat_ws(' ', t.name, t.custom_id, t.assigned_device_id, t.street, t.street_number, t.district,
                                      t.city, t.postal_code))
    || customer_text(c.name, c.email, c.phone, c.external_key) || coalesce(other_phone_texts(c.other_phones), '')
$$;
