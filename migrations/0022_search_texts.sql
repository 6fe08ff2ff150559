-- Search over the words of a tank and of its owner together: "perkins stowe" is the name of a customer and the town of a tank.

-- One row for each live tank and customer with all their words. The indexes of 0013 have the words of one table each. With them,
-- the customers with a word were joined to the tanks with another one: 0.14 to 2 seconds of CPU time for a name and a town among
-- 200,000 tanks, and 2^n such statements for n words. Here it takes 8 ms. Not a column of fleet_tanks: a row there changes about
-- once a day, and each change would enter all its words into the index again.
create table tank_texts (
  no              int primary key,
  organization_no int not null,
  text            text not null
);
create table customer_texts (
  no              int primary key,
  organization_no int not null,
  text            text not null,
  -- The order of the list of customers. Short, so that a cursor can contain it, and by code points, so that no update of a library
  -- of collations changes it. Stored, because folding a name takes 8 us: a common name is folded a thousand times.
  sort_name       text collate "C" not null
);

set local search_path = public, extensions;
create index tank_texts_by_text on tank_texts using gin (organization_no, text gin_trgm_ops);
create index customer_texts_by_text on customer_texts using gin (organization_no, text gin_trgm_ops);
set local search_path = public;
-- In order. The cast hides these indexes from the statement of find_by_words that must use those of texts.
create index tank_texts_in_order on tank_texts ((organization_no::bigint), no);
create index customer_texts_in_order on customer_texts ((organization_no::bigint), no);
create index customer_texts_by_name on customer_texts ((organization_no::bigint), sort_name, no);

----------------------------------------------------------------------------------------------------- texts

-- Lower case without accents and signs, so that "8025550142" finds "802-555-0142", and "obrien" finds "O'Brien". A comma
-- separates words. src/fleet/search_words.ts does the same with the words of a search.
create function search_text(given text) returns text immutable parallel safe language sql as $$
  select translate(public.fold_text(given), E',;\t\n\r-.:()/+''"#*&@|_%\\!?[]{}<>=$^`~‐‑–—‘’“”´·°«»¡¿…', '     ')
$$;

-- A phone number is one word, however it is grouped.
create function customer_text(name text, email text, phone text, external_key text) returns text
immutable parallel safe language sql as $$
  select ' ' || public.search_text(coalesce(name, '') || ' ' || coalesce(external_key, '') || ' ' || coalesce(email, ''))
    || ' ' || replace(public.search_text(coalesce(phone, '')), ' ', '')
$$;

create function customer_sort_name(name text) returns text immutable parallel safe language sql as $$
  select left(public.fold_text(name), 50)
$$;

create function tank_text(t tanks, c customers) returns text stable parallel safe language sql as $$
  select ' ' || search_text(concat_ws(' ', t.name, t.custom_id, t.assigned_device_id, t.street, t.street_number, t.district,
                                      t.city, t.postal_code))
    || customer_text(c.name, c.email, c.phone, c.external_key)
$$;

create function write_customer_texts(customer_nos int[]) returns void language sql as $$
  delete from customer_texts x using customers c
  where x.no = any (customer_nos) and c.no = x.no and c.deleted_at is not null;
  insert into customer_texts (no, organization_no, text, sort_name)
  select no, organization_no, customer_text(name, email, phone, external_key), customer_sort_name(name)
  from customers where no = any (customer_nos) and deleted_at is null order by no
  on conflict (no) do update set organization_no = excluded.organization_no, text = excluded.text, sort_name = excluded.sort_name
  where (customer_texts.organization_no, customer_texts.text, customer_texts.sort_name)
    is distinct from (excluded.organization_no, excluded.text, excluded.sort_name)
$$;

-- Locks the owners: an owner that another transaction renames is waited for, and one who is renamed later finds these tanks.
create function write_tank_texts(tank_nos int[]) returns void language sql as $$
  delete from tank_texts x using tanks t
  where x.no = any (tank_nos) and t.no = x.no and t.deleted_at is not null;
  insert into tank_texts (no, organization_no, text)
  select t.no, t.organization_no, tank_text(t, c)
  from tanks t join customers c on c.no = t.owner_no
  where t.no = any (tank_nos) and t.deleted_at is null
  order by t.no for share of c
  on conflict (no) do update set organization_no = excluded.organization_no, text = excluded.text
  where (tank_texts.organization_no, tank_texts.text) is distinct from (excluded.organization_no, excluded.text)
$$;

----------------------------------------------------------------------------------------------------- triggers

-- The functions of the triggers on tanks, with the texts: a new trigger would lock this table too.
create or replace function add_fleet_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into fleet_tanks (tank_no, organization_no, owner_no, city, use_case)
  select no, organization_no, owner_no, coalesce(city, ''), coalesce(use_case, '')
  from new_rows where deleted_at is null order by no;
  insert into fleet_levels (tank_no, organization_no)
  select no, organization_no from new_rows where deleted_at is null order by no;
  perform write_tank_texts(array(select no from new_rows where deleted_at is null));
  return null;
end
$$;

create or replace function follow_changed_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  changed int[] := array(
    select n.no from old_rows o join new_rows n using (no)
    where (o.owner_no, o.city, o.use_case, o.deleted_at) is distinct from (n.owner_no, n.city, n.use_case, n.deleted_at)
  );
  reworded int[] := array(
    select n.no from old_rows o join new_rows n using (no)
    where (o.owner_no, o.name, o.custom_id, o.assigned_device_id, o.street, o.street_number, o.district, o.city, o.postal_code,
           o.deleted_at)
      is distinct from
          (n.owner_no, n.name, n.custom_id, n.assigned_device_id, n.street, n.street_number, n.district, n.city, n.postal_code,
           n.deleted_at)
  );
begin
  if cardinality(changed) > 0 then
    -- Writers lock these rows in the order of tank_no too, so that neither waits for the other in a circle.
    perform from fleet_levels l join new_rows n on n.no = l.tank_no
    where l.tank_no = any (changed) and n.deleted_at is not null order by l.tank_no for update of l;
    delete from fleet_levels l using new_rows n
    where l.tank_no = n.no and n.no = any (changed) and n.deleted_at is not null;
    perform from fleet_tanks where tank_no = any (changed) order by tank_no for update;
    delete from fleet_tanks f using new_rows n
    where f.tank_no = n.no and n.no = any (changed) and n.deleted_at is not null;
    update fleet_tanks f set owner_no = n.owner_no, city = coalesce(n.city, ''), use_case = coalesce(n.use_case, '')
    from new_rows n where f.tank_no = n.no and n.no = any (changed) and n.deleted_at is null;
  end if;
  if cardinality(reworded) > 0 then
    perform write_tank_texts(reworded);
  end if;
  return null;
end
$$;

create function write_texts_of_customers() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  reworded int[];
begin
  if tg_op = 'INSERT' then
    perform write_customer_texts(array(select no from new_rows));
    return null;
  end if;
  reworded := array(
    select n.no from old_rows o join new_rows n using (no)
    where (o.name, o.email, o.phone, o.external_key, o.deleted_at)
      is distinct from (n.name, n.email, n.phone, n.external_key, n.deleted_at)
  );
  if cardinality(reworded) > 0 then
    perform write_customer_texts(reworded);
    perform write_tank_texts(array(select no from tanks where owner_no = any (reworded) and deleted_at is null));
  end if;
  return null;
end
$$;
create trigger write_texts_of_new_customers after insert on customers
referencing new table as new_rows for each statement execute function write_texts_of_customers();
create trigger write_texts_of_changed_customers after update on customers
referencing old table as old_rows new table as new_rows for each statement execute function write_texts_of_customers();

-- The texts of rows that are older than the triggers. 0023 calls it. Each batch is a transaction of its own, and locks its tanks
-- or customers, so that one that is deleted at the same time leaves no text. It may be repeated.
create procedure fill_search_texts() language plpgsql as $$
declare
  last_no int := 0;
  nos int[];
begin
  loop
    nos := array(select no from customers where no > last_no and deleted_at is null order by no limit 500);
    exit when nos = '{}';
    perform from customers where no = any (nos) order by no for share;
    perform write_customer_texts(nos);
    commit;
    last_no := nos[cardinality(nos)];
  end loop;
  last_no := 0;
  loop
    nos := array(select no from tanks where no > last_no and deleted_at is null order by no limit 500);
    exit when nos = '{}';
    perform from tanks where no = any (nos) order by no for share;
    perform write_tank_texts(nos);
    commit;
    last_no := nos[cardinality(nos)];
  end loop;
end
$$;
revoke execute on procedure fill_search_texts from public;

----------------------------------------------------------------------------------------------------- search

-- The numbers of the tanks or customers of an organization whose texts match all patterns, at most 1,000: more are neither
-- sorted nor counted. `sequences` are patterns of three characters, each of the word with the number in `sequence_words`. The work
-- does not depend on what PostgreSQL assumes about the words:
-- 1. The oldest 1,000 texts are compared. Most organizations have no more.
-- 2. If a tenth of them matches, or if every sequence is in half of them, the oldest 20,000 texts are compared, until 1,000 match.
--    An index would return a large part of all texts.
-- 3. Otherwise the index of texts finds the rarest sequences of each word, and at most 20,000 such texts are compared. The time of
--    the index grows with the number of texts that have a sequence. Of 200,000 tanks, all sequences of "surnameab" took 13 ms of
--    CPU time, the rarest one 6. With "00000000", which has no other sequence than 000, all texts were compared: 144 ms instead
--    of 10. The organization is not looked up in the index if it has a large part of all texts, for the same reason.
create function find_by_words(
  in_list text, in_organization_no int, patterns text[], sequences text[], sequence_words int[]
) returns setof int
stable rows 1000 language plpgsql
set enable_seqscan = off set enable_indexscan = on as $$
declare
  texts constant text := case in_list when 'tanks' then 'tank_texts' when 'customers' then 'customer_texts' end;
  oldest constant text := format('select no, text from %I where organization_no::bigint = $1 order by no', texts);
  matches constant text := (
    select string_agg(format('text like $2[%s]', n), ' and ') from generate_series(1, cardinality(patterns)) as n
  );
  most constant int := 1000;
  rarest text[];
  found int[];
  n int;
begin
  execute format(
    'select coalesce(array_agg(no) filter (where %s), ''{}''), count(*) from (%s limit 1000) as oldest', matches, oldest)
  into found, n using in_organization_no::bigint, patterns;
  if n < 1000 then
    return query select unnest(found);
    return;
  end if;

  execute format(
    'select array_agg(pattern) filter (where share < 0.5 and (share = 0 or place = 1)) from (
       select pattern, avg((text like pattern)::int) as share,
              row_number() over (partition by word order by avg((text like pattern)::int)) as place
       from unnest($2, $3) as s (pattern, word) cross join (%s limit 250) as oldest
       group by word, pattern) as shares', oldest)
  into rarest using in_organization_no::bigint, sequences, sequence_words;
  if cardinality(found) >= 100 or rarest is null then
    execute format('select array(select no from (%s limit 20000) as oldest where %s limit %s)', oldest, matches, most)
    into found using in_organization_no::bigint, patterns;
    if cardinality(found) = most or rarest is null then
      return query select unnest(found);
      return;
    end if;
  end if;

  perform set_config('enable_indexscan', 'off', true);  -- until this function returns
  return query execute format(
    'select no from (select no, organization_no, text from %I where %s %s limit 20000) as found
     where organization_no = $1 and %s limit %s',
    texts,
    (select string_agg(format('text like $3[%s]', at), ' and ') from generate_series(1, cardinality(rarest)) as at),
    case when has_many_texts(in_list, in_organization_no) then '' else 'and organization_no = $1' end,
    matches, most)
  using in_organization_no, patterns, rarest;
end
$$;

-- Whether an organization has a third of all texts, by the counters and by what the last vacuum counted.
create function has_many_texts(in_list text, in_organization_no int) returns boolean stable language sql as $$
  select coalesce(sum(n), 0) * 3 > (
    select reltuples from pg_class
    where oid = case in_list when 'tanks' then 'tank_texts'::regclass else 'customer_texts'::regclass end
  )
  from catalog_month_counters where list = ('organization_' || in_list)::catalog_list and scope_no = in_organization_no
$$;

----------------------------------------------------------------------------------------------------- rights

grant select on tank_texts, customer_texts to tankwatch_api;
-- For `tankwatch doctor --fix`.
grant select, insert, update, delete on tank_texts, customer_texts to tankwatch_operator;
