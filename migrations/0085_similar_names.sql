-- Customers with a similar name, for a person who is about to add one twice.

-- The numbers of at most 10 customers of an organization, the most similar name first. Up to 1,000 customers are compared one by one.
-- With more, those with the same name come first. For a name of five letters or more, the index of texts then finds those that have
-- most of its sequences, and 200 of them are compared: comparing one takes 20 us, and a name that more have says little.
-- If the organization has a large part of all texts, it is not looked up in the index, as in find_by_words.
-- It runs as the owner, because only the owner may use the functions of pg_trgm.
create function find_similar_names(in_organization_no int, in_name text) returns setof int
stable rows 10 security definer language plpgsql
set search_path = public, pg_temp set enable_seqscan = off set enable_indexscan = on as $$
declare
  folded constant text := fold_text(in_name);
  few constant int := 1000;
begin
  if (select count(*) from (
        select from customer_texts where organization_no::bigint = in_organization_no::bigint limit few + 1) as counted) <= few then
    return query
    select no from customer_texts
    where organization_no::bigint = in_organization_no::bigint and extensions.similarity(sort_name, folded) >= 0.5
    order by extensions.similarity(sort_name, folded) desc, no limit 10;
    return;
  end if;
  return query
  select no from customer_texts
  where organization_no::bigint = in_organization_no::bigint and sort_name = customer_sort_name(in_name) order by no limit 10;
  if length(folded) < 5 then
    return;
  end if;
  perform set_config('enable_indexscan', 'off', true);  -- until this function returns
  return query execute format(
    'select no from (select no, organization_no, sort_name from customer_texts where $2 operator(extensions.<%%) text %s limit 200) as found
     where organization_no = $1 and extensions.similarity(sort_name, $3) >= 0.5
     order by extensions.similarity(sort_name, $3) desc, no limit 10',
    case when has_many_texts('customers', in_organization_no) then '' else 'and organization_no = $1' end)
  using in_organization_no, search_text(in_name), folded;
end
$$;
revoke execute on function find_similar_names from public;
grant execute on function find_similar_names to tankwatch_api;
