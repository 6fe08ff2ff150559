-- For the page that a link opens, in the language of the person. Changes nothing.
create or replace function sign_in_of_link(of_link_sha256 bytea) returns table (organization_name text, language text)
stable language sql security definer set search_path = public, pg_temp as $$
  select distinct o.name, coalesce(c.language || substr(o.language, 3), o.language)
  from sign_ins s join sign_in_identities i using (address) join organizations o on o.no = i.organization_no
    left join contacts c on c.no = i.contact_no
  where s.link_sha256 = of_link_sha256 and s.redeemed_at is null and s.expires_at > now() and o.deleted_at is null
    and (s.contact_no is null or s.contact_no = i.contact_no)
  order by o.name
$$;
