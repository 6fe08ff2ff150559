-- The numbers of the tanks or customers of an organization whose texts match all patterns, at most 1,000: more are neither
-- sorted nor counted. `sequences` are patterns of three characters, each of the word with the number in `sequence_words`. The cost
-- does not depend on what PostgreSQL assumes about the words:
-- 1. The oldest 1,000 texts are compared. Most organizations have no more.
-- 2. If a tenth of them matches, or if every sequence is in half of them, the oldest 20,000 texts are compared, until 1,000 match.
--    An index would return a large part of all texts.
-- 3. Otherwise the index of texts finds the rarest sequences of each word, and at most 20,000 such texts are compared. The time of
--    the index grows with the number of texts that have a sequence. If the organization has a large part of all texts, it is not looked
--    up in the index, for the same reason.
-- A session plans the first two steps once: the list that is not requested costs nothing, because PostgreSQL evaluates `in_list` first.
-- `like all` uses no index. The third step needs one, so it has a condition for each word, and is planned each time.
create or replace function find_by_words(
  in_list text, in_organization_no int, patterns text[], sequences text[], sequence_words int[]
) returns setof int
stable rows 1000 language plpgsql
set enable_seqscan = off set enable_indexscan = on as $$
declare
  texts constant text := case in_list when 'tanks' then 'tank_texts' when 'customers' then 'customer_texts' end;
  matches text;
  most constant int := 1000;
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
  if n < 1000 then
    return query select unnest(found);
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
         where %s limit %s)', texts, matches, most)
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
