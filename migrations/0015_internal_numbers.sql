-- Internal numbers: a session has a bigint, and the use of all sequences can be read.

-- A table with an int has 40 million numbers in each cell. At 100 sign-ins a second, sessions had used them up in 4.6 days,
-- and then nobody could sign in.
--
-- The table is rewritten under an exclusive lock: 0.2 seconds for 10,000 sessions, 1.5 for 100,000. That is short enough,
-- because only people who use the console have sessions, which are deleted an hour after their end. Only this table is
-- locked: the console waits, devices and readings do not. No other table refers to the column, and programs reach it only
-- through the functions and the view of 0014.
drop view session_credentials;
-- squawk-ignore changing-column-type
alter table sessions alter column no type bigint;
-- The range of an int column stays with the sequence, so it is widened to that of the other bigint columns.
alter table sessions alter column no set minvalue 1 set maxvalue 9223372036854775807;

-- As in 0014, but the number of a session by mail is reduced to an int. Processes of the previous release have prepared
-- statements on this view, and these fail if a column has another type. The number only says which requests share a rate
-- limit, so that two sessions with the same one, two billion sign-ins apart, do no harm.
create view session_credentials as
select coalesce(key_no, -(1 + (no - 1) % 2000000000)::int) as no, prefix, secret_sha256, organization_no, customer_no,
       array['read'] as scopes, requests_per_second, burst, expires_at, ended_at as revoked_at, changed_xid
from sessions;
grant select on session_credentials to tankwatch_api;

-- Which share of its numbers each sequence has given out, also those of the job queue. The last number is the smaller of the
-- sequence's own, which is that of the cell's range, and the largest of the column's type. Roles may not read sequences.
create function sequence_use() returns table (name text, used_share float8)
stable language sql security definer set search_path = public, pg_temp as $$
  select case when s.schemaname = 'public' then '' else s.schemaname || '.' end
           || coalesce(c.relname || '.' || a.attname, s.sequencename),
         coalesce(s.last_value::float8 - s.min_value + 1, 0)
           / (least(s.max_value, case a.atttypid when 'int2'::regtype then 32767 when 'int4'::regtype then 2147483647
                                  else s.max_value end)::float8 - s.min_value + 1)
  from pg_sequences s
  left join pg_depend d on d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i')
    and d.objid = format('%I.%I', s.schemaname, s.sequencename)::regclass
    and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0
  left join pg_class c on c.oid = d.refobjid
  left join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
  order by 1
$$;
revoke execute on function sequence_use from public;
grant execute on function sequence_use to tankwatch_worker, tankwatch_operator;
