-- What is handled of one tank: the bits of its conditions, the acknowledgements, and the end of its mute. Without a tank (null) it
-- is not called. Times have the form of the API, because to_json writes them with an offset and without trailing zeros.
create or replace function handling_of(in_tank_no int) returns table (bits int, handled json, muted_until timestamptz)
stable strict rows 1 language plpgsql as $$
#variable_conflict use_column
begin
  return query select bit_or(condition_bit(h.condition)),
      json_agg(json_build_object(
        'condition', h.condition, 'acknowledgement_id', h.acknowledgement_id,
        'until', to_char(h.until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'comment', h.comment, 'name', h.name,
        'since', to_char(h.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'returns_at_percentage', h.returns_at
      ) order by h.condition) filter (where h.acknowledgement_id is not null),
      (select m.until::timestamptz from muted_tanks m where m.tank_no = in_tank_no)
    from handled_conditions h where h.tank_no = in_tank_no and h.condition <> 'device';
end
$$;
