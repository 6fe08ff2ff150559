-- The organizations between which a person who signs in can choose. The column slot has the name that 0.3.0 reads.
create or replace function sign_in_choices(of_browser_sha256 bytea)
returns table (id uuid, slot text, organization_name text, customer_name text)
stable language sql security definer set search_path = public, pg_temp as $$
  select i.id, key_beginning(o.no), o.name, i.customer_name
  from sign_ins s join sign_in_identities i using (address) join organizations o on o.no = i.organization_no
  where s.browser_sha256 = of_browser_sha256 and s.redeemed_at > now() - interval '15 minutes' and s.chosen_at is null
    and o.deleted_at is null
    -- An invitation signs in to the organization that sent it, and to no other with the same address.
    and (s.contact_no is null or s.contact_no = i.contact_no)
  order by i.customer_name is not null, o.name, i.customer_name, i.id
$$;
