-- The words of each organization, for a search that finds nothing: "mapel" is corrected to "maple", if the organization has such a word.

-- Words of at least four letters of the names of customers, and of the names, streets, districts and cities of tanks, with the number of
-- times that live customers and tanks have them. Numbers, devices, e-mail addresses and phone numbers are not corrected: a similar one is
-- another one. The number decides which of two similar words is meant, and a word that nobody has any more is erased at once.
create table search_words (
  organization_no int not null,
  word            text collate "C" not null,  -- in the order of its characters, so that the index finds the words that begin with some
  n               int not null,
  primary key (organization_no, word)
) with (fillfactor = 80);  -- leaves room on each page for HOT updates

create function words_of_text(given text) returns setof text immutable parallel safe rows 5 language sql as $$
  select word from string_to_table(public.search_text(given), ' ') as word
  where length(word) between 4 and 30 and word !~ '[0-9]'
$$;

create function words_of_tank(t tanks) returns text stable parallel safe language sql as $$
  select concat_ws(' ', t.name, t.street, t.district, t.city)
$$;

-- Counts the words of texts that were added (delta 1) or removed (-1). The arrays are parallel. The texts of an organization are split as one,
-- and their words are compared by bytes: that takes a fifth of the time. The rows are locked in the order of the words, so that two
-- transactions cannot deadlock.
create function count_search_words(organization_nos int[], texts text[], deltas int[]) returns void language plpgsql as $$
declare
  unused_organization_nos int[];
  unused text[];
begin
  with counted as (
    insert into search_words as s (organization_no, word, n)
    select organization_no, word, sum(delta)
    from (
      select organization_no, delta, string_agg(text, ' ') as text
      from unnest(organization_nos, texts, deltas) as given (organization_no, text, delta) group by organization_no, delta
    ) as joined cross join lateral (select one collate "C" as word from words_of_text(text) as one) as split
    group by organization_no, word having sum(delta) <> 0
    order by organization_no, word
    on conflict (organization_no, word) do update set n = s.n + excluded.n
    returning organization_no, word, n
  )
  select array_agg(organization_no), array_agg(word) into unused_organization_nos, unused from counted where n <= 0;
  if unused is not null then
    delete from search_words s using unnest(unused_organization_nos, unused) as u (organization_no, word)
    where s.organization_no = u.organization_no and s.word = u.word and s.n <= 0;
  end if;
end
$$;

----------------------------------------------------------------------------------------------------- triggers

-- Adds the rows of the fleet, the search texts and the words of new tanks.
create or replace function add_fleet_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into fleet_tanks (tank_no, organization_no, owner_no, city, use_case)
  select no, organization_no, owner_no, coalesce(city, ''), coalesce(use_case, '')
  from new_rows where deleted_at is null order by no;
  insert into fleet_levels (tank_no, organization_no)
  select no, organization_no from new_rows where deleted_at is null order by no;
  perform write_tank_texts(array(select no from new_rows where deleted_at is null));
  perform count_search_words(array_agg(organization_no), array_agg(words_of_tank(t)), array_agg(1))
  from new_rows t where deleted_at is null;
  return null;
end
$$;

-- Keeps the rows of the fleet, the search texts and the words equal to the changed tanks.
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
    -- Writers lock these rows in the order of tank_no too, so that they cannot deadlock.
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
    perform count_search_words(array_agg(organization_no), array_agg(words), array_agg(delta))
    from (
      select organization_no, words_of_tank(o) as words, -1 as delta from old_rows o where no = any (reworded) and deleted_at is null
      union all
      select organization_no, words_of_tank(n), 1 from new_rows n where no = any (reworded) and deleted_at is null
    ) as changed_words;
  end if;
  return null;
end
$$;

-- Keeps the search texts and the words equal to new and changed customers, and the texts of their tanks.
create or replace function write_texts_of_customers() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  reworded int[];
begin
  if tg_op = 'INSERT' then
    perform write_customer_texts(array(select no from new_rows));
    perform count_search_words(array_agg(organization_no), array_agg(name), array_agg(1)) from new_rows where deleted_at is null;
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
    perform count_search_words(array_agg(organization_no), array_agg(name), array_agg(delta))
    from (
      select organization_no, name, -1 as delta from old_rows where no = any (reworded) and deleted_at is null
      union all
      select organization_no, name, 1 from new_rows where no = any (reworded) and deleted_at is null
    ) as changed_words;
  end if;
  return null;
end
$$;

----------------------------------------------------------------------------------------------------- search

-- The numbers of the tanks or customers of an organization whose texts match all patterns, at most `in_most`, which is at most 1,000: more
-- are neither sorted nor counted. `sequences` are patterns of three characters, each of the word with the number in `sequence_words`. The cost
-- does not depend on what PostgreSQL assumes about the words:
-- 1. The oldest 1,000 texts are compared. Most organizations have no more.
-- 2. If a tenth of them matches, or if every sequence is in half of them, the oldest 20,000 texts are compared, until 1,000 match.
--    An index would return a large part of all texts.
-- 3. Otherwise the index of texts finds the rarest sequences of each word, and at most 20,000 such texts are compared. The time of
--    the index grows with the number of texts that have a sequence. If the organization has a large part of all texts, it is not looked
--    up in the index, for the same reason.
-- A session plans the first two steps once: the list that is not requested costs nothing, because PostgreSQL evaluates `in_list` first.
-- `like all` uses no index. The third step needs one, so it has a condition for each word, and is planned each time.
create function find_first_by_words(
  in_list text, in_organization_no int, patterns text[], sequences text[], sequence_words int[], in_most int
) returns setof int
stable rows 1000 language plpgsql
set enable_seqscan = off set enable_indexscan = on as $$
declare
  texts constant text := case in_list when 'tanks' then 'tank_texts' when 'customers' then 'customer_texts' end;
  matches text;
  rarest text[];
  found int[];
  n int;
begin
  select coalesce(array_agg(no) filter (where text like all (patterns)), '{}'), count(*) into found, n
  from (
    (select no, text from tank_texts
     where in_list = 'tanks' and organization_no::bigint = in_organization_no::bigint order by no limit 1000)
    union all
    (select no, text from customer_texts
     where in_list = 'customers' and organization_no::bigint = in_organization_no::bigint order by no limit 1000)
  ) as oldest;
  if n < 1000 or cardinality(found) >= in_most then
    return query select unnest(found) limit in_most;
    return;
  end if;

  with oldest as materialized (
    (select text from tank_texts
     where in_list = 'tanks' and organization_no::bigint = in_organization_no::bigint order by no limit 250)
    union all
    (select text from customer_texts
     where in_list = 'customers' and organization_no::bigint = in_organization_no::bigint order by no limit 250)
  ), shares as (
    select pattern, hits, row_number() over (partition by word order by hits) as place
    from unnest(sequences, sequence_words) as s (pattern, word)
    cross join lateral (select count(*) as hits from oldest where text like pattern) as counted
  )
  select array_agg(pattern) filter (where hits < 125 and (hits = 0 or place = 1)) into rarest from shares;

  matches := (select string_agg(format('text like $2[%s]', at), ' and ') from generate_series(1, cardinality(patterns)) as at);
  if cardinality(found) >= 100 or rarest is null then
    execute format(
      'select array(
         select no from (select no, text from %I where organization_no::bigint = $1 order by no limit 20000) as oldest
         where %s limit %s)', texts, matches, in_most)
    into found using in_organization_no::bigint, patterns;
    if cardinality(found) = in_most or rarest is null then
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
    matches, in_most)
  using in_organization_no, patterns, rarest;
end
$$;

----------------------------------------------------------------------------------------------------- counting again

-- Counts the words of an organization from the catalog. It locks the organization as every change does, so that none comes in between.
create function recount_search_words(in_organization_no int) returns void language plpgsql as $$
begin
  perform lock_organization(in_organization_no);
  delete from search_words where organization_no = in_organization_no;
  perform count_search_words(array_agg(organization_no), array_agg(name), array_agg(1))
  from customers where organization_no = in_organization_no and deleted_at is null;
  perform count_search_words(array_agg(organization_no), array_agg(words_of_tank(t)), array_agg(1))
  from tanks t where organization_no = in_organization_no and deleted_at is null;
end
$$;

-- The words of what is older than the triggers. 0098 calls it. Each organization is a transaction of its own. It may be repeated.
create procedure fill_search_words() language plpgsql as $$
declare
  next_no int;
begin
  for next_no in select no from organizations order by no loop
    perform recount_search_words(next_no);
    commit;
  end loop;
end
$$;
revoke execute on procedure fill_search_words from public;

grant select on search_words to tankwatch_api;
-- For `tankwatch doctor --fix`.
grant select, insert, update, delete on search_words to tankwatch_operator;
