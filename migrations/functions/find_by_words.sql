-- For 0.3, which calls it.
create or replace function find_by_words(
  in_list text, in_organization_no int, patterns text[], sequences text[], sequence_words int[]
) returns setof int stable rows 1000 language sql as $$
  select find_first_by_words(in_list, in_organization_no, patterns, sequences, sequence_words, 1000)
$$;
