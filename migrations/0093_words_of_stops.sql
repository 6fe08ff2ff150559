-- What was said at a stop besides its outcome, and what is printed. It only adds: 0.3.0 works with it. Locks round_stops and rounds for
-- a moment.
alter table round_stops
  -- The entry that the report is from. Null: no entry is, or the report is of an older release.
  add column said_entry_no bigint;
alter table rounds
  -- The last sheet: when and by whom it was printed, and the volume of each open stop on it; null for a blocked one.
  add column printed jsonb;

-- The words beside the outcome of a stop: the comment and the note of the entry that counts, who reported it in the office, and a later
-- entry that says something else, with its volume in liters.
create view round_stop_words as
select s.no as stop_no, s.round_no, own.comment,
       nullif(concat_ws('-', nullif(own.note_series, ''), own.note_number), '') as note,
       coalesce(p.name, p.email) as said_by_name,
       case when other.no is not null and other.kind <> 'reopened'
              and (other.kind, other.reason, round(other.litres)) is distinct from (s.said, s.said_reason, round(s.said_litres::numeric))
       then json_build_object(
         'from', case when other.recorded_by is null then 'driver' else 'person' end, 'kind', other.kind, 'volume', other.litres,
         'reason', other.reason, 'comment', other.comment, 'note', other.note,
         'at', to_char(least(other.at, other.received_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'said_by_name', coalesce(q.name, q.email)
       ) end as other_entry
from round_stops s
left join lateral (
  select e.no, e.recorded_by, e.comment, e.note_series, e.note_number from driver_entries e
  where e.round_no = s.round_no and e.stop_number = s.number and e.kind = s.said
    and (e.no = s.said_entry_no or (s.said_entry_no is null and s.said_as = 'driver' and e.recorded_by is null))
  order by e.no desc limit 1
) as own on true
left join lateral (
  select e.no, e.kind, e.reason, e.comment, e.recorded_by, e.at, e.received_at,
         nullif(concat_ws('-', nullif(e.note_series, ''), e.note_number), '') as note,
         (e.volume * case e.volume_unit when 'gallons' then 3.785411784 else 1 end)::numeric as litres
  from driver_entries e
  -- The driver corrects what the driver said.
  where e.round_no = s.round_no and e.stop_number = s.number and e.no > own.no
    and not (own.recorded_by is null and e.recorded_by is null)
  order by e.no desc limit 1
) as other on true
left join contacts p on p.organization_no = s.organization_no and p.deleted_at is null
  and p.id = case when s.said_by ~ '^contact [0-9a-f-]{36}$' then substr(s.said_by, 9)::uuid end
left join contacts q on q.organization_no = s.organization_no and q.deleted_at is null
  and q.id = case when other.recorded_by ~ '^contact [0-9a-f-]{36}$' then substr(other.recorded_by, 9)::uuid end;

grant select on round_stop_words to tankwatch_api, tankwatch_manager, tankwatch_operator;
