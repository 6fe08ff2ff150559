-- The schema of release 0.4.0, written by `npm run schema`. Do not edit it.
--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: extensions; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA "extensions";

--
-- Name: graphile_worker; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA "graphile_worker";

--
-- Name: SCHEMA "public"; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA "public" IS 'standard public schema';

--
-- Name: btree_gin; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS "btree_gin" WITH SCHEMA "extensions";

--
-- Name: EXTENSION "btree_gin"; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON EXTENSION "btree_gin" IS 'support for indexing common datatypes in GIN';

--
-- Name: pg_trgm; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS "pg_trgm" WITH SCHEMA "extensions";

--
-- Name: EXTENSION "pg_trgm"; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON EXTENSION "pg_trgm" IS 'text similarity measurement and index searching based on trigrams';

--
-- Name: job_spec; Type: TYPE; Schema: graphile_worker; Owner: -
--

CREATE TYPE "graphile_worker"."job_spec" AS (
	"identifier" "text",
	"payload" "json",
	"queue_name" "text",
	"run_at" timestamp with time zone,
	"max_attempts" smallint,
	"job_key" "text",
	"priority" smallint,
	"flags" "text"[]
);

--
-- Name: catalog_list; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE "public"."catalog_list" AS ENUM (
    'organization_customers',
    'organization_tanks',
    'owner_tanks'
);

SET default_tablespace = '';

SET default_table_access_method = "heap";

--
-- Name: _private_jobs; Type: TABLE; Schema: graphile_worker; Owner: -
--

CREATE TABLE "graphile_worker"."_private_jobs" (
    "id" bigint NOT NULL,
    "job_queue_id" integer,
    "task_id" integer NOT NULL,
    "payload" "json" DEFAULT '{}'::"json" NOT NULL,
    "priority" smallint DEFAULT 0 NOT NULL,
    "run_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "attempts" smallint DEFAULT 0 NOT NULL,
    "max_attempts" smallint DEFAULT 25 NOT NULL,
    "last_error" "text",
    "created_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "key" "text",
    "locked_at" timestamp with time zone,
    "locked_by" "text",
    "revision" integer DEFAULT 0 NOT NULL,
    "flags" "jsonb",
    "is_available" boolean GENERATED ALWAYS AS ((("locked_at" IS NULL) AND ("attempts" < "max_attempts"))) STORED NOT NULL,
    CONSTRAINT "jobs_key_check" CHECK ((("length"("key") > 0) AND ("length"("key") <= 512))),
    CONSTRAINT "jobs_max_attempts_check" CHECK (("max_attempts" >= 1))
);

--
-- Name: add_job("text", "json", "text", timestamp with time zone, integer, "text", integer, "text"[], "text"); Type: FUNCTION; Schema: graphile_worker; Owner: -
--

CREATE FUNCTION "graphile_worker"."add_job"("identifier" "text", "payload" "json" DEFAULT NULL::"json", "queue_name" "text" DEFAULT NULL::"text", "run_at" timestamp with time zone DEFAULT NULL::timestamp with time zone, "max_attempts" integer DEFAULT NULL::integer, "job_key" "text" DEFAULT NULL::"text", "priority" integer DEFAULT NULL::integer, "flags" "text"[] DEFAULT NULL::"text"[], "job_key_mode" "text" DEFAULT 'replace'::"text") RETURNS "graphile_worker"."_private_jobs"
    LANGUAGE "plpgsql"
    AS $$
declare
  v_job "graphile_worker"._private_jobs;
begin
  if (job_key is null or job_key_mode is null or job_key_mode in ('replace', 'preserve_run_at')) then
    select * into v_job
    from "graphile_worker".add_jobs(
      ARRAY[(
        identifier,
        payload,
        queue_name,
        run_at,
        max_attempts::smallint,
        job_key,
        priority::smallint,
        flags
      )::"graphile_worker".job_spec],
      (job_key_mode = 'preserve_run_at')
    )
    limit 1;
    return v_job;
  elsif job_key_mode = 'unsafe_dedupe' then
    -- Ensure all the tasks exist (insert only missing identifiers so identity is not consumed)
    insert into "graphile_worker"._private_tasks as tasks (identifier)
    select add_job.identifier
    where not exists (
      select 1
      from "graphile_worker"._private_tasks as existing
      where existing.identifier = add_job.identifier
    )
    on conflict do nothing;
    -- Ensure all the queues exist
    if add_job.queue_name is not null then
      insert into "graphile_worker"._private_job_queues as job_queues (queue_name)
      select add_job.queue_name
      where not exists (
        select 1
        from "graphile_worker"._private_job_queues as existing
        where existing.queue_name = add_job.queue_name
      )
      on conflict do nothing;
    end if;
    -- Insert job, but if one already exists then do nothing, even if the
    -- existing job has already started (and thus represents an out-of-date
    -- world state). This is dangerous because it means that whatever state
    -- change triggered this add_job may not be acted upon (since it happened
    -- after the existing job started executing, but no further job is being
    -- scheduled), but it is useful in very rare circumstances for
    -- de-duplication. If in doubt, DO NOT USE THIS.
    insert into "graphile_worker"._private_jobs as jobs (
      job_queue_id,
      task_id,
      payload,
      run_at,
      max_attempts,
      key,
      priority,
      flags
    )
      select
        job_queues.id,
        tasks.id,
        coalesce(add_job.payload, '{}'::json),
        coalesce(add_job.run_at, now()),
        coalesce(add_job.max_attempts::smallint, 25::smallint),
        add_job.job_key,
        coalesce(add_job.priority::smallint, 0::smallint),
        (
          select jsonb_object_agg(flag, true)
          from unnest(add_job.flags) as item(flag)
        )
      from "graphile_worker"._private_tasks as tasks
      left join "graphile_worker"._private_job_queues as job_queues
      on job_queues.queue_name = add_job.queue_name
      where tasks.identifier = add_job.identifier
    on conflict (key)
      -- Bump the updated_at so that there's something to return
      do update set
        revision = jobs.revision + 1,
        updated_at = now()
      returning *
      into v_job;
    if v_job.revision = 0 then
      perform pg_notify('jobs:insert', '{"r":' || random()::text || ',"count":1}');
    end if;
    return v_job;
  else
    raise exception 'Invalid job_key_mode value, expected ''replace'', ''preserve_run_at'' or ''unsafe_dedupe''.' using errcode = 'GWBKM';
  end if;
end;
$$;

--
-- Name: add_jobs("graphile_worker"."job_spec"[], boolean); Type: FUNCTION; Schema: graphile_worker; Owner: -
--

CREATE FUNCTION "graphile_worker"."add_jobs"("specs" "graphile_worker"."job_spec"[], "job_key_preserve_run_at" boolean DEFAULT false) RETURNS SETOF "graphile_worker"."_private_jobs"
    LANGUAGE "plpgsql"
    AS $$
begin
  -- Ensure all the tasks exist (insert only missing identifiers so identity is not consumed)
  insert into "graphile_worker"._private_tasks as tasks (identifier)
  select distinct spec.identifier
  from unnest(specs) spec
  where not exists (
    select 1
    from "graphile_worker"._private_tasks as existing
    where existing.identifier = spec.identifier
  )
  on conflict do nothing;
  -- Ensure all the queues exist
  insert into "graphile_worker"._private_job_queues as job_queues (queue_name)
  select distinct spec.queue_name
  from unnest(specs) spec
  where spec.queue_name is not null
  and not exists (
    select 1
    from "graphile_worker"._private_job_queues as existing
    where existing.queue_name = spec.queue_name
  )
  on conflict do nothing;
  -- Ensure any locked jobs have their key cleared - in the case of locked
  -- existing job create a new job instead as it must have already started
  -- executing (i.e. it's world state is out of date, and the fact add_job
  -- has been called again implies there's new information that needs to be
  -- acted upon).
  update "graphile_worker"._private_jobs as jobs
  set
    key = null,
    attempts = jobs.max_attempts,
    updated_at = now()
  from unnest(specs) spec
  where spec.job_key is not null
  and jobs.key = spec.job_key
  and is_available is not true;

  -- WARNING: this count is not 100% accurate; 'on conflict' clause will cause it to be an overestimate
  perform pg_notify('jobs:insert', '{"r":' || random()::text || ',"count":' || array_length(specs, 1)::text || '}');

  -- TODO: is there a risk that a conflict could occur depending on the
  -- isolation level?
  return query insert into "graphile_worker"._private_jobs as jobs (
    job_queue_id,
    task_id,
    payload,
    run_at,
    max_attempts,
    key,
    priority,
    flags
  )
    select
      job_queues.id,
      tasks.id,
      coalesce(spec.payload, '{}'::json),
      coalesce(spec.run_at, now()),
      coalesce(spec.max_attempts, 25),
      spec.job_key,
      coalesce(spec.priority, 0),
      (
        select jsonb_object_agg(flag, true)
        from unnest(spec.flags) as item(flag)
      )
    from unnest(specs) spec
    inner join "graphile_worker"._private_tasks as tasks
    on tasks.identifier = spec.identifier
    left join "graphile_worker"._private_job_queues as job_queues
    on job_queues.queue_name = spec.queue_name
  on conflict (key) do update set
    job_queue_id = excluded.job_queue_id,
    task_id = excluded.task_id,
    payload =
      case
      when json_typeof(jobs.payload) = 'array' and json_typeof(excluded.payload) = 'array' then
        (jobs.payload::jsonb || excluded.payload::jsonb)::json
      else
        excluded.payload
      end,
    max_attempts = excluded.max_attempts,
    run_at = (case
      when job_key_preserve_run_at is true and jobs.attempts = 0 then jobs.run_at
      else excluded.run_at
    end),
    priority = excluded.priority,
    revision = jobs.revision + 1,
    flags = excluded.flags,
    -- always reset error/retry state
    attempts = 0,
    last_error = null,
    updated_at = now()
  where jobs.locked_at is null
  returning *;
end;
$$;

--
-- Name: complete_jobs(bigint[]); Type: FUNCTION; Schema: graphile_worker; Owner: -
--

CREATE FUNCTION "graphile_worker"."complete_jobs"("job_ids" bigint[]) RETURNS SETOF "graphile_worker"."_private_jobs"
    LANGUAGE "sql"
    AS $$
  delete from "graphile_worker"._private_jobs as jobs
    where id = any(job_ids)
    and (
      locked_at is null
    or
      locked_at < now() - interval '4 hours'
    )
    returning *;
$$;

--
-- Name: force_unlock_workers("text"[]); Type: FUNCTION; Schema: graphile_worker; Owner: -
--

CREATE FUNCTION "graphile_worker"."force_unlock_workers"("worker_ids" "text"[]) RETURNS "void"
    LANGUAGE "sql"
    AS $$
update "graphile_worker"._private_jobs as jobs
set locked_at = null, locked_by = null
where locked_by = any(worker_ids);
update "graphile_worker"._private_job_queues as job_queues
set locked_at = null, locked_by = null
where locked_by = any(worker_ids);
$$;

--
-- Name: permanently_fail_jobs(bigint[], "text"); Type: FUNCTION; Schema: graphile_worker; Owner: -
--

CREATE FUNCTION "graphile_worker"."permanently_fail_jobs"("job_ids" bigint[], "error_message" "text" DEFAULT NULL::"text") RETURNS SETOF "graphile_worker"."_private_jobs"
    LANGUAGE "sql"
    AS $$
  update "graphile_worker"._private_jobs as jobs
    set
      last_error = coalesce(error_message, 'Manually marked as failed'),
      attempts = max_attempts,
      updated_at = now()
    where id = any(job_ids)
    and (
      locked_at is null
    or
      locked_at < NOW() - interval '4 hours'
    )
    returning *;
$$;

--
-- Name: remove_job("text"); Type: FUNCTION; Schema: graphile_worker; Owner: -
--

CREATE FUNCTION "graphile_worker"."remove_job"("job_key" "text") RETURNS "graphile_worker"."_private_jobs"
    LANGUAGE "plpgsql" STRICT
    AS $$
declare
  v_job "graphile_worker"._private_jobs;
begin
  -- Delete job if not locked
  delete from "graphile_worker"._private_jobs as jobs
    where key = job_key
    and (
      locked_at is null
    or
      locked_at < NOW() - interval '4 hours'
    )
  returning * into v_job;
  if not (v_job is null) then
    perform pg_notify('jobs:insert', '{"r":' || random()::text || ',"count":-1}');
    return v_job;
  end if;
  -- Otherwise prevent job from retrying, and clear the key
  update "graphile_worker"._private_jobs as jobs
  set
    key = null,
    attempts = jobs.max_attempts,
    updated_at = now()
  where key = job_key
  returning * into v_job;
  return v_job;
end;
$$;

--
-- Name: reschedule_jobs(bigint[], timestamp with time zone, integer, integer, integer); Type: FUNCTION; Schema: graphile_worker; Owner: -
--

CREATE FUNCTION "graphile_worker"."reschedule_jobs"("job_ids" bigint[], "run_at" timestamp with time zone DEFAULT NULL::timestamp with time zone, "priority" integer DEFAULT NULL::integer, "attempts" integer DEFAULT NULL::integer, "max_attempts" integer DEFAULT NULL::integer) RETURNS SETOF "graphile_worker"."_private_jobs"
    LANGUAGE "sql"
    AS $$
  update "graphile_worker"._private_jobs as jobs
    set
      run_at = coalesce(reschedule_jobs.run_at, jobs.run_at),
      priority = coalesce(reschedule_jobs.priority::smallint, jobs.priority),
      attempts = coalesce(reschedule_jobs.attempts::smallint, jobs.attempts),
      max_attempts = coalesce(reschedule_jobs.max_attempts::smallint, jobs.max_attempts),
      updated_at = now()
    where id = any(job_ids)
    and (
      locked_at is null
    or
      locked_at < NOW() - interval '4 hours'
    )
    returning *;
$$;

--
-- Name: add_counter_partition(integer, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."add_counter_partition"("year" integer, "from_at" timestamp with time zone) RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  name text := 'telemetry_month_counters_' || year;
begin
  execute format('create table %I (like telemetry_month_counters including all) with (fillfactor = 70)', name);
  execute format('alter table telemetry_month_counters attach partition %I for values from (%L) to (%L)',
                 name, from_at, make_timestamptz(year + 1, 1, 1, 0, 0, 0, 'UTC'));
end
$$;

--
-- Name: add_estimated_tanks(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."add_estimated_tanks"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into estimated_tanks (tank_no, organization_no, manual_from)
  select no, organization_no, '-infinity' from new_rows where is_manual_device(assigned_device_id) order by no;
  return null;
end
$$;

--
-- Name: add_fleet_tanks(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."add_fleet_tanks"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
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

--
-- Name: add_to_catalog_counters("public"."catalog_list", integer[], timestamp with time zone[], integer[], integer[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."add_to_catalog_counters"("in_list" "public"."catalog_list", "scope_nos" integer[], "created_ats" timestamp with time zone[], "nos" integer[], "deltas" integer[]) RETURNS "void"
    LANGUAGE "plpgsql"
    SET "enable_seqscan" TO 'off'
    AS $$
declare
  change record;
begin
  -- Buckets first: a month without buckets has none to change and is counted when it is split below. Most owners have a
  -- few tanks, so usually there is no bucket at all.
  for change in
    select i.scope_no, own.starts_at, own.starts_no, sum(i.delta) as n
    from unnest(scope_nos, created_ats, nos, deltas) as i (scope_no, created_at, no, delta)
    cross join lateral (
      select starts_at, starts_no from catalog_buckets
      where list = in_list and scope_no = i.scope_no
        and (starts_at, starts_no) <= (i.created_at, i.no) and starts_at >= utc_month(i.created_at)
      order by starts_at desc, starts_no desc limit 1
    ) as own
    where exists (select from catalog_buckets where list = in_list)
    group by i.scope_no, own.starts_at, own.starts_no
  loop
    update catalog_buckets b set n = b.n + change.n
    where list = in_list and scope_no = change.scope_no
      and starts_at = change.starts_at and starts_no = change.starts_no
    returning b.n into change.n;
    if change.n > max_bucket_items() then
      perform split_catalog_bucket(in_list, change.scope_no, change.starts_at, change.starts_no);
    end if;
  end loop;

  -- For the speed of imports, rows are in index order and only months that may need a split are returned.
  for change in
    with counted as (
      insert into catalog_month_counters as m (list, scope_no, month, n)
      select in_list, i.scope_no, utc_month(i.created_at), sum(i.delta)
      from unnest(scope_nos, created_ats, deltas) as i (scope_no, created_at, delta)
      group by 2, 3
      having sum(i.delta) > 0
      order by 2, 3
      on conflict (list, scope_no, month) do update set n = m.n + excluded.n
      returning m.scope_no, m.month, m.n
    )
    select scope_no, month from counted where n > max_bucket_items() and not exists (
      select from catalog_buckets b where b.list = in_list and b.scope_no = counted.scope_no and b.starts_at = counted.month
    )
  loop
    perform split_catalog_bucket(in_list, change.scope_no, change.month, 0);
  end loop;

  for change in
    select i.scope_no, utc_month(i.created_at) as month, sum(i.delta) as n
    from unnest(scope_nos, created_ats, deltas) as i (scope_no, created_at, delta)
    group by 1, 2
    having sum(i.delta) < 0
  loop
    update catalog_month_counters m set n = m.n + change.n
    where list = in_list and scope_no = change.scope_no and month = change.month;
  end loop;
end
$$;

--
-- Name: driver_entries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."driver_entries" (
    "no" bigint NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "round_no" integer NOT NULL,
    "stop_number" integer NOT NULL,
    "tank_no" integer,
    "kind" "text" NOT NULL,
    "volume" double precision,
    "volume_unit" "text",
    "reason" "text",
    "note_series" "text",
    "note_number" "text",
    "comment" "text",
    "at" timestamp(3) with time zone NOT NULL,
    "received_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "filled_to" real,
    "recorded_by" "text",
    "is_correction" boolean DEFAULT false NOT NULL,
    CONSTRAINT "driver_entries_comment_check" CHECK ((("length"("comment") >= 1) AND ("length"("comment") <= 500))),
    CONSTRAINT "driver_entries_filled_to_check" CHECK ((("filled_to" >= (0)::double precision) AND ("filled_to" <= (100)::double precision))),
    CONSTRAINT "driver_entries_kind_check" CHECK (("kind" = ANY (ARRAY['delivered'::"text", 'not_possible'::"text", 'reopened'::"text"]))),
    CONSTRAINT "driver_entries_note_number_check" CHECK ((("length"("note_number") >= 1) AND ("length"("note_number") <= 100))),
    CONSTRAINT "driver_entries_note_series_check" CHECK (("length"("note_series") <= 50)),
    CONSTRAINT "driver_entries_reason_check" CHECK (("reason" = ANY (ARRAY['no_access'::"text", 'refused'::"text", 'full'::"text", 'truck_empty'::"text", 'unsafe'::"text", 'other'::"text"]))),
    CONSTRAINT "driver_entries_stop_number_check" CHECK (("stop_number" > 0)),
    CONSTRAINT "driver_entries_volume_check" CHECK ((("volume" > (0)::double precision) AND ("volume" <= (1000000)::double precision))),
    CONSTRAINT "driver_entries_volume_unit_check" CHECK (("volume_unit" = ANY (ARRAY['liters'::"text", 'gallons'::"text"]))),
    CONSTRAINT "entry_is_complete" CHECK (((("kind" = 'delivered'::"text") = ("volume" IS NOT NULL)) AND (("volume" IS NULL) = ("volume_unit" IS NULL)) AND (("kind" = 'not_possible'::"text") = ("reason" IS NOT NULL)) AND (("note_number" IS NULL) OR ("kind" = 'delivered'::"text")) AND (("note_series" IS NULL) = ("note_number" IS NULL))))
);

--
-- Name: apply_stop_entry("public"."driver_entries"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."apply_stop_entry"("entry" "public"."driver_entries") RETURNS boolean
    LANGUAGE "plpgsql"
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  happened timestamptz := time_of_driver_entry(entry);
  the_stop round_stops;
  held     driver_entries;
  newest   bigint;
  counts   boolean;
begin
  select * into the_stop from round_stops s
  where s.round_no = entry.round_no and (s.tank_no = entry.tank_no or (s.tank_no is null and s.number = entry.stop_number));
  if entry.recorded_by is not null then
    counts := entry.is_correction or the_stop.said is null;
  else
    -- The clock of a phone may be wrong by years, but it still gives the order of its entries if their plausible times
    -- are equal.
    select e.no into newest from driver_entries e
    where e.round_no = entry.round_no and e.stop_number = entry.stop_number and e.tank_no is not distinct from entry.tank_no
      and e.recorded_by is null
    order by time_of_driver_entry(e) desc, e.at desc, e.no desc limit 1;
    select * into held from driver_entries e
    where e.no = the_stop.said_entry_no and e.kind = the_stop.said and e.recorded_by is not null;
    -- What the office corrected stays: the link of a driver is valid for days.
    counts := newest = entry.no
      and (held.no is null or (not held.is_correction and entry.kind = 'reopened' and happened > held.received_at));
  end if;
  if counts then
    perform report_driver_entry(entry, happened);
  end if;
  perform store_note_of_entry(entry, happened, counts);
  if counts then
    perform cancel_notes_before_entry(entry);
  end if;
  if counts or entry.recorded_by is null then
    perform store_dip_of_entry(entry, happened);
  end if;
  update rounds set state = 'under_way', started_at = coalesce(started_at, happened), updated_at = now()
  where no = entry.round_no and state = 'planned';
  return counts;
end
$$;

--
-- Name: attach_earlier_counters(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."attach_earlier_counters"("bound" timestamp with time zone) RETURNS "void"
    LANGUAGE "plpgsql"
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  year int := extract(year from bound at time zone 'UTC');
  given record;
begin
  perform set_config('lock_timeout', '200ms', true);
  lock table telemetry_month_counters in access exclusive mode;
  alter table telemetry_month_counters rename to telemetry_month_counters_earlier;
  alter index telemetry_month_counters_pkey rename to telemetry_month_counters_earlier_pkey;
  alter index plain_telemetry_months rename to telemetry_month_counters_earlier_plain;
  create table telemetry_month_counters (
    tank_no   int not null,
    n         int not null constraint telemetry_month_counters_n_check check (n >= 0),
    month     timestamptz(3) not null,
    is_packed boolean not null default false,
    primary key (tank_no, month)
  ) partition by range (month);
  create index plain_telemetry_months on telemetry_month_counters (month, tank_no) where not is_packed;
  execute format('alter table telemetry_month_counters attach partition telemetry_month_counters_earlier '
                 'for values from (minvalue) to (%L)', bound);
  perform add_counter_partition(year, bound);
  -- Rows of the next year may arrive before a process calls ensure_telemetry_month with it.
  perform add_counter_partition(year + 1, make_timestamptz(year + 1, 1, 1, 0, 0, 0, 'UTC'));
  for given in
    select g.grantee::regrole as role, g.privilege_type as privilege
    from pg_class c, aclexplode(c.relacl) g
    where c.oid = 'telemetry_month_counters_earlier'::regclass and g.grantee <> c.relowner
  loop
    execute format('grant %s on telemetry_month_counters to %s', given.privilege, given.role);
    execute format('revoke %s on telemetry_month_counters_earlier from %s', given.privilege, given.role);
  end loop;
end
$$;

--
-- Name: audit_creation(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."audit_creation"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $_$
begin
  execute format('insert into audit_log (actor, organization_no, object, action, fields, object_nos)
                  select current_actor(), %1$I, %2$L, %3$L, %4$L, array_agg(no) from new_rows group by %1$I',
                 tg_argv[1], tg_argv[0], 'create', '{}');
  return null;
end
$_$;

--
-- Name: audit_dips(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."audit_dips"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  select current_actor(), organization_no, 'tank', 'update', '{dip}', array_agg(distinct tank_no)
  from new_rows group by organization_no;
  return null;
end
$$;

--
-- Name: audit_pins(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."audit_pins"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  select current_actor(), n.organization_no, 'delivery_note', 'update', array['pins'], array_agg(distinct n.no)
  from changed_rows p join delivery_notes n on n.no = p.note_no
  group by n.organization_no;
  return null;
end
$$;

--
-- Name: audit_stop_outcome(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."audit_stop_outcome"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  values (current_actor(), new.organization_no, 'round', 'update', array['stop_outcome', new.number::text], array[new.round_no]);
  return null;
end
$$;

--
-- Name: audit_update(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."audit_update"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $_$
begin
  execute format($sql$
    insert into audit_log (actor, organization_no, object, action, fields, object_nos)
    select current_actor(), organization_no, %2$L,
           case when 'deleted_at' = any (fields) then 'delete' else 'update' end, fields, array_agg(no)
    from (
      select n.%1$I as organization_no, n.no, array(
        select key from jsonb_each(to_jsonb(o)) as before (key, value) join jsonb_each(to_jsonb(n)) as after (key, value)
        using (key)
        where before.value <> after.value
          and key not in ('updated_at', 'settings_changed_at', 'last_seen_at', 'last_used_at', 'changed_xid', 'failing_since',
                          'erased_at', 'change_number', 'levels_changed_at', 'has_secret', 'code_at', 'code_tries')
        order by key
      ) as fields
      from old_rows o join new_rows n using (no)
    ) as changed
    where fields <> '{}'
    group by organization_no, fields
  $sql$, tg_argv[1], tg_argv[0]);
  return null;
end
$_$;

--
-- Name: begin_management("text", "bytea", "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."begin_management"("of_prefix" "text", "of_secret_sha256" "bytea", "of_request_id" "text") RETURNS TABLE("organization_no" integer, "caller" "text", "roles" "text"[])
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  key record;
  person record;
begin
  select k.no, k.prefix, k.organization_no into key from api_keys k
  where k.prefix = of_prefix and k.secret_sha256 = of_secret_sha256 and 'manage' = any (k.scopes)
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  for share;
  if key.no is not null then
    perform set_config('tankwatch.actor', 'key ' || key.prefix, true), set_config('tankwatch.request_id', of_request_id, true);
    return query select key.organization_no, 'key ' || key.no, array['key'];
    return;
  end if;
  -- The session of a key belongs to no person and only reads.
  select s.organization_no, c.no, c.id, c.roles into person
  from sessions s join contacts c on c.no = s.contact_no and c.organization_no = s.organization_no
  where s.prefix = of_prefix and s.secret_sha256 = of_secret_sha256 and s.key_no is null
    and s.ended_at is null and s.expires_at > now() and c.deleted_at is null
  for share;
  if person.no is not null then
    perform set_config('tankwatch.actor', 'contact ' || person.id, true), set_config('tankwatch.request_id', of_request_id, true);
    return query select person.organization_no, 'contact ' || person.no, person.roles;
  end if;
end
$$;

--
-- Name: begin_outage(integer, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."begin_outage"("connector" integer, "since" timestamp with time zone) RETURNS integer
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  with begun as (
    insert into tank_outages (tank_no, connector_no, from_at)
    select t.no, connector, since
    from connectors c
    join connector_devices d on d.connector_no = c.no
    join tanks t on t.organization_no = c.organization_no and t.assigned_device_id = d.device_id and t.deleted_at is null
    where c.no = connector
      and not exists (select from tank_outages o where o.tank_no = t.no and o.connector_no = connector and o.to_at is null)
    order by t.no
    on conflict do nothing  -- two at once
    returning tank_no
  ), forgotten as (
    delete from tank_outages o using begun b
    where o.tank_no = b.tank_no and o.to_at is not null
      and o.from_at < (select x.from_at from tank_outages x where x.tank_no = b.tank_no order by x.from_at desc offset 49 limit 1)
  )
  select count(*)::int from begun;
$$;

--
-- Name: begin_owner_change("text", "bytea", "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."begin_owner_change"("of_prefix" "text", "of_secret_sha256" "bytea", "of_request_id" "text") RETURNS TABLE("organization_no" integer, "customer_no" integer)
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  owner record;
begin
  select s.organization_no, c.no, c.id into owner
  from sessions s join customers c on c.no = s.customer_no and c.organization_no = s.organization_no
  where s.prefix = of_prefix and s.secret_sha256 = of_secret_sha256 and s.key_no is null and s.contact_no is null
    and s.ended_at is null and s.expires_at > now() and c.deleted_at is null
  for share of s;
  if owner.no is not null then
    perform set_config('tankwatch.actor', 'customer ' || owner.id, true), set_config('tankwatch.request_id', of_request_id, true);
    return query select owner.organization_no, owner.no;
  end if;
end
$$;

--
-- Name: begin_session("text", "bytea", "text", "bytea"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."begin_session"("of_prefix" "text", "of_secret_sha256" "bytea", "new_prefix" "text", "new_secret_sha256" "bytea") RETURNS boolean
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select coalesce(
    (select create_session(new_prefix, new_secret_sha256, no) from api_keys
     where prefix = of_prefix and secret_sha256 = of_secret_sha256),
    false)
$$;

--
-- Name: begin_sign_in_mail(bigint, "bytea", "bytea"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."begin_sign_in_mail"("sign_in_no" bigint, "new_link_sha256" "bytea", "new_code_sha256" "bytea") RETURNS "text"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  update sign_ins set link_sha256 = new_link_sha256, code_sha256 = sha256(browser_sha256 || new_code_sha256)
  where no = sign_in_no and redeemed_at is null and expires_at > now()
  returning address
$$;

--
-- Name: cancel_notes_before_entry("public"."driver_entries"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."cancel_notes_before_entry"("entry" "public"."driver_entries") RETURNS "void"
    LANGUAGE "sql"
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  update delivery_notes n set is_cancelled = not is_cancelled
  from (
    select distinct note_series, note_number from driver_entries
    where round_no = entry.round_no and stop_number = entry.stop_number and tank_no = entry.tank_no and note_number is not null
  ) as e
  where n.organization_no = entry.organization_no and n.series = e.note_series and n.number = e.note_number
    and n.source = 'driver' and n.tank_no = entry.tank_no
    and is_note_of_round(entry.round_no, entry.tank_no, e.note_series, e.note_number)
    and n.is_cancelled <> ((n.series, n.number) is distinct from (entry.note_series, entry.note_number))
$$;

--
-- Name: catalog_buckets_in_range("public"."catalog_list", integer, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."catalog_buckets_in_range"("in_list" "public"."catalog_list", "in_scope_no" integer, "range_from" timestamp with time zone, "range_to" timestamp with time zone) RETURNS TABLE("from_at" timestamp with time zone, "from_no" integer, "to_at" timestamp with time zone, "to_no" integer, "n" integer)
    LANGUAGE "sql" STABLE
    AS $$
  select clipped.from_at, clipped.from_no, clipped.to_at, clipped.to_no,
         case when is_whole then clipped.n
              else count_catalog_items(in_list, in_scope_no, clipped.from_at, clipped.from_no, clipped.to_at, clipped.to_no) end
  from (
    select case when starts_in then starts_at else range_from end as from_at,
           case when starts_in then starts_no else 0 end as from_no,
           case when ends_in then ends_at else range_to end as to_at,
           case when ends_in then ends_no else 0 end as to_no,
           starts_in and ends_in as is_whole, bucket.n
    from (
      select starts_at, starts_no, ends_at, ends_no, b.n,
             (starts_at, starts_no) >= (range_from, 0) as starts_in, (ends_at, ends_no) <= (range_to, 0) as ends_in
      from (
        select starts_at, starts_no, c.n,
               lead(starts_at, 1, next_utc_month(range_from)) over in_order as ends_at,
               lead(starts_no, 1, 0) over in_order as ends_no
        from catalog_buckets c
        where list = in_list and scope_no = in_scope_no
          and starts_at >= utc_month(range_from) and starts_at < next_utc_month(range_from)
        window in_order as (order by starts_at, starts_no)
      ) as b
    ) as bucket
    where (ends_at, ends_no) > (range_from, 0) and starts_at < range_to
  ) as clipped
$$;

--
-- Name: catalog_page_start("public"."catalog_list", integer, timestamp with time zone, timestamp with time zone, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."catalog_page_start"("list" "public"."catalog_list", "scope_no" integer, "from_at" timestamp with time zone, "to_at" timestamp with time zone, "skip" bigint, OUT "before_at" timestamp with time zone, OUT "before_no" integer) RETURNS "record"
    LANGUAGE "plpgsql" STABLE
    AS $_$
declare
  bucket record;
  direction text := 'desc';
begin
  if skip = 0 then
    before_at := to_at;
    before_no := 0;
    return;
  end if;
  select b.from_at, b.from_no, b.to_at, b.to_no, b.n, skip - b.newer as skip into bucket
  from (
    select c.*, sum(c.n) over (order by c.from_at desc, c.from_no desc) - c.n as newer
    from catalog_buckets_in_range(list, scope_no, catalog_page_start.from_at, catalog_page_start.to_at) c
  ) as b
  where b.newer + b.n > skip
  order by b.newer limit 1;
  if not found then
    -- The number of items is not known if a filter cuts the month.
    select from_at, 0 as from_no, to_at, 0 as to_no, skip, (
      select c.n from catalog_month_counters c
      where c.list = catalog_page_start.list and c.scope_no = catalog_page_start.scope_no and c.month = from_at
        and to_at >= next_utc_month(from_at)
    ) as n into bucket;
  end if;

  -- From the nearer end: the items on the way are up to eight pages of the index.
  if bucket.skip > bucket.n / 2 then
    direction := 'asc';
    bucket.skip := bucket.n - bucket.skip - 1;
  end if;
  execute format('select created_at, no + 1 from %I where %I = $1 and deleted_at is null
                  and (created_at, no) >= ($2, $3) and (created_at, no) < ($4, $5)
                  order by created_at %s, no %3$s offset $6 limit 1',
                 catalog_table(list), catalog_scope_column(list), direction)
  into before_at, before_no using scope_no, bucket.from_at, bucket.from_no, bucket.to_at, bucket.to_no, bucket.skip;
end
$_$;

--
-- Name: catalog_scope_column("public"."catalog_list"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."catalog_scope_column"("list" "public"."catalog_list") RETURNS "text"
    LANGUAGE "sql" IMMUTABLE
    AS $$
  select case list when 'owner_tanks' then 'owner_no' else 'organization_no' end
$$;

--
-- Name: catalog_table("public"."catalog_list"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."catalog_table"("list" "public"."catalog_list") RETURNS "text"
    LANGUAGE "sql" IMMUTABLE
    AS $$
  select case list when 'organization_customers' then 'customers' else 'tanks' end
$$;

--
-- Name: change_epoch(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."change_epoch"() RETURNS bigint
    LANGUAGE "sql" STABLE
    AS $$
  select epoch + ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint from change_epochs
$$;

--
-- Name: choose_channels(integer, boolean, "text"[], "text"[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."choose_channels"("of_contact" integer, "new_by_push" boolean, "new_low_by" "text"[], "new_other_by" "text"[]) RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  perform set_config('tankwatch.actor', 'contact ' || id, true) from contacts where no = of_contact;
  insert into contact_reach (no, organization_no) select no, organization_no from contacts where no = of_contact and deleted_at is null
  on conflict do nothing;
  update contact_reach set by_push = new_by_push, low_by = new_low_by, other_by = new_other_by, updated_at = now()
  where no = of_contact;
end
$$;

--
-- Name: choose_sign_in("bytea", "uuid", "text", "bytea"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."choose_sign_in"("of_browser_sha256" "bytea", "chosen_id" "uuid", "new_prefix" "text", "new_secret_sha256" "bytea") RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  chosen_address text;
  chosen sign_in_identities;
begin
  -- A deletion at the same time either sees the new session, or is seen below. An import can hold these locks for long.
  perform set_config('lock_timeout', '2s', true);
  perform from customers where id = chosen_id for share;
  perform from contacts where id = chosen_id for share;
  if not exists (select from sign_in_choices(of_browser_sha256) as c where c.id = chosen_id) then
    return null;
  end if;
  update sign_ins s set chosen_at = now()
  where s.browser_sha256 = of_browser_sha256 and s.redeemed_at is not null and s.chosen_at is null
  returning s.address into chosen_address;
  if not found then
    return null;  -- chosen by another request in the meantime
  end if;
  -- Selected by its address, because the same browser may have asked for another mail in the meantime.
  select i.* into strict chosen from sign_in_identities i where i.address = chosen_address and i.id = chosen_id;
  insert into sessions (prefix, secret_sha256, contact_no, organization_no, customer_no, requests_per_second, burst, expires_at)
  values (new_prefix, new_secret_sha256, chosen.contact_no, chosen.organization_no, chosen.customer_no, 50, 500,
          session_expiry(now(), now(), chosen.contact_no is null));
  -- A person who signs in again and again keeps the newest sessions.
  update sessions set ended_at = now()
  where ended_at is null and no in (
    select no from sessions
    where key_no is null and contact_no is not distinct from chosen.contact_no
      and customer_no is not distinct from chosen.customer_no
    order by no desc offset 20
  );
  return chosen.contact_no is null;
end
$$;

--
-- Name: condition_bit("text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."condition_bit"("condition" "text") RETURNS integer
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $$
  select case condition
    when 'losing' then 1 when 'low' then 2 when 'gauge_unreliable' then 4 when 'silent' then 8 when 'device' then 0
  end
$$;

--
-- Name: correct_levels(integer, double precision[], smallint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."correct_levels"("in_tank_no" integer, "at_ms" double precision[], "new_levels" smallint[]) RETURNS "void"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    SET "enable_seqscan" TO 'off'
    AS $$
  update telemetry t set fill_percentage = r.level::real / 100::real
  from unnest(at_ms, new_levels) as r (ms, level)
  where t.tank_no = in_tank_no and t.created_at = to_timestamp(r.ms / 1000) and t.gauge_value is not null
    and exists (select from gauge_recomputations g where g.tank_no = in_tank_no)
$$;

--
-- Name: correct_packed_levels(integer, timestamp with time zone, smallint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."correct_packed_levels"("in_tank_no" integer, "in_starts_at" timestamp with time zone, "new_levels" smallint[]) RETURNS "void"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    SET "enable_seqscan" TO 'off'
    AS $$
  update packed_telemetry p
  set levels = new_levels, checksum = packed_checksum(p.tank_no, p.starts_at, p.times, new_levels, p.gauge_values)
  where p.tank_no = in_tank_no and p.starts_at = in_starts_at and cardinality(p.levels) = cardinality(new_levels)
    and not exists (
      select from unnest(p.levels, new_levels, p.gauge_values) as r (level, new_level, measure)
      where r.measure is null and r.level <> r.new_level
    )
    and exists (select from gauge_recomputations g where g.tank_no = in_tank_no)
$$;

--
-- Name: count_catalog_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."count_catalog_change"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $_$
declare
  counted_list catalog_list;
  live_rows text := case tg_op
    when 'INSERT' then 'select 1 as delta, * from new_rows'
    when 'DELETE' then 'select -1 as delta, * from old_rows'
    else 'select 1 as delta, * from new_rows union all select -1, * from old_rows'
  end;
  organization_nos int[]; scope_nos int[]; created_ats timestamptz[]; nos int[]; deltas int[];
begin
  foreach counted_list in array tg_argv loop
    execute format($sql$
      select array_agg(organization_no), array_agg(scope_no), array_agg(created_at), array_agg(no), array_agg(delta)
      from (
        select organization_no, %I as scope_no, created_at, no, sum(delta)::int as delta
        from (%s) as live_rows
        where deleted_at is null
        group by 1, 2, 3, 4
        having sum(delta) <> 0
      ) as moved
    $sql$, catalog_scope_column(counted_list), live_rows)
    into organization_nos, scope_nos, created_ats, nos, deltas;

    if nos is not null then
      -- One writer per organization from here to its commit. Otherwise an item could be counted in a bucket that another
      -- transaction is splitting. Imports commit every few thousand rows, so the wait is short.
      perform from organizations where no = any (organization_nos) order by no for no key update;
      perform add_to_catalog_counters(counted_list, scope_nos, created_ats, nos, deltas);
    end if;
  end loop;
  return null;
end
$_$;

--
-- Name: count_catalog_items("public"."catalog_list", integer, timestamp with time zone, integer, timestamp with time zone, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."count_catalog_items"("list" "public"."catalog_list", "scope_no" integer, "from_at" timestamp with time zone, "from_no" integer, "to_at" timestamp with time zone, "to_no" integer) RETURNS integer
    LANGUAGE "plpgsql" STABLE
    AS $_$
declare
  n int;
begin
  execute format('select count(*) from %I where %I = $1 and deleted_at is null
                  and (created_at, no) >= ($2, $3) and (created_at, no) < ($4, $5)',
                 catalog_table(list), catalog_scope_column(list))
  into n using scope_no, from_at, from_no, to_at, to_no;
  return n;
end
$_$;

--
-- Name: count_catalog_range("public"."catalog_list", integer, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."count_catalog_range"("list" "public"."catalog_list", "scope_no" integer, "from_at" timestamp with time zone, "to_at" timestamp with time zone) RETURNS integer
    LANGUAGE "plpgsql" STABLE
    AS $$
begin
  return coalesce(
    (select sum(n) from catalog_buckets_in_range(list, scope_no, from_at, to_at)),
    count_catalog_items(list, scope_no, from_at, 0, to_at, 0)
  );
end
$$;

--
-- Name: count_search_words(integer[], "text"[], integer[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."count_search_words"("organization_nos" integer[], "texts" "text"[], "deltas" integer[]) RETURNS "void"
    LANGUAGE "plpgsql"
    AS $$
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

--
-- Name: count_telemetry(integer, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."count_telemetry"("in_tank_no" integer, "from_at" timestamp with time zone, "to_at" timestamp with time zone) RETURNS integer
    LANGUAGE "sql" STABLE
    AS $$
  select coalesce(sum(case when month >= from_at and next_utc_month(month) <= to_at then n
                           else count_telemetry_range(in_tank_no, greatest(month, from_at), least(next_utc_month(month), to_at))
                      end), 0)::int
  from telemetry_month_counters where tank_no = in_tank_no and month < to_at and next_utc_month(month) > from_at
$$;

--
-- Name: count_telemetry_items(integer, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."count_telemetry_items"("in_tank_no" integer, "from_at" timestamp with time zone, "to_at" timestamp with time zone) RETURNS integer
    LANGUAGE "plpgsql" STABLE
    AS $$
declare
  ends_at timestamptz := least(to_at, next_utc_month(from_at));
  origin timestamptz := packed_origin(from_at);
  part record;
  part_times int[];
  items int := 0;
begin
  if (select is_packed from telemetry_month_counters where tank_no = in_tank_no and month = utc_month(from_at)) then
    for part in
      select p.starts_at, p.times from packed_telemetry p
      where p.tank_no = in_tank_no and p.starts_at >= utc_month(from_at) and p.starts_at < ends_at
      order by p.starts_at desc
    loop
      part_times := part.times;
      items := items + greatest(0, width_bucket(packed_time(ends_at, origin) - 1, part_times)
                                   - width_bucket(packed_time(from_at, origin) - 1, part_times));
      exit when part.starts_at <= from_at;
    end loop;
    return items;
  end if;
  return (
    select count(*) from telemetry where tank_no = in_tank_no and created_at >= from_at and created_at < ends_at
  );
end
$$;

--
-- Name: count_telemetry_range(integer, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."count_telemetry_range"("in_tank_no" integer, "from_at" timestamp with time zone, "to_at" timestamp with time zone) RETURNS integer
    LANGUAGE "plpgsql" STABLE
    AS $$
begin
  return coalesce(
    (select sum(n) from telemetry_buckets_in_range(in_tank_no, from_at, to_at)),
    count_telemetry_items(in_tank_no, from_at, to_at)
  );
end
$$;

--
-- Name: create_session("text", "bytea", integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."create_session"("new_prefix" "text", "new_secret_sha256" "bytea", "of_key_no" integer) RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into sessions (prefix, secret_sha256, key_no, organization_no, customer_no, requests_per_second, burst, expires_at)
  select new_prefix, new_secret_sha256, no, organization_no, customer_no, requests_per_second, burst,
         least(session_expiry(now(), now(), false), expires_at)
  from api_keys
  where no = of_key_no and 'read' = any (scopes) and revoked_at is null and (expires_at is null or expires_at > now())
  for share;  -- a revocation at the same time either sees the new session, or is seen here
  if not found then
    return false;
  end if;
  -- A key that signs in again and again keeps its newest sessions.
  update sessions set ended_at = now()
  where ended_at is null and no in (select no from sessions where key_no = of_key_no order by no desc offset 100);
  return true;
end
$$;

--
-- Name: current_actor(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."current_actor"() RETURNS "text"
    LANGUAGE "sql" STABLE
    AS $$
  select coalesce(nullif(current_setting('tankwatch.actor', true), ''), session_user)
$$;

--
-- Name: customer_of_link("uuid"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."customer_of_link"("customer_id" "uuid") RETURNS TABLE("email" "text", "is_verified" boolean, "organization_code" "text", "organization_name" "text", "language" "text", "sealed_link_secret" "text")
    LANGUAGE "sql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select c.email, c.is_verified, o.code, o.name, o.language, s.sealed_link_secret
  from customers c
  join organizations o on o.no = c.organization_no
  left join organization_secrets s on s.organization_no = o.no
  where c.id = customer_id and c.deleted_at is null
$$;

--
-- Name: customer_sort_name("text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."customer_sort_name"("name" "text") RETURNS "text"
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $$
  select left(public.fold_text(name), 50)
$$;

--
-- Name: customer_text("text", "text", "text", "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."customer_text"("name" "text", "email" "text", "phone" "text", "external_key" "text") RETURNS "text"
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $$
  select ' ' || public.search_text(coalesce(name, '') || ' ' || coalesce(external_key, '') || ' ' || coalesce(email, ''))
    || ' ' || replace(public.search_text(coalesce(phone, '')), ' ', '')
$$;

--
-- Name: delete_ended_sessions(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."delete_ended_sessions"() RETURNS integer
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  ended int;
  asked int;
begin
  delete from sessions where no in (
    select no from sessions where expires_at < now() - interval '1 hour' order by expires_at limit 10000
  );
  get diagnostics ended = row_count;
  delete from sign_ins where no in (
    select no from sign_ins where created_at < now() - interval '1 day' and (contact_no is null or expires_at < now())
    order by no limit 10000
  );
  get diagnostics asked = row_count;
  return ended + asked;
end
$$;

--
-- Name: delete_events(bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."delete_events"("event_nos" bigint[]) RETURNS integer
    LANGUAGE "plpgsql"
    AS $$
declare
  deleted int;
  finished bigint[] := array(
    select given.no from unnest(event_nos) as given (no)
    where not exists (select from webhook_deliveries d where d.event_no = given.no and d.status = 'pending')
  );
begin
  delete from webhook_deliveries where event_no = any (finished);
  delete from event_mails where event_no = any (finished);
  delete from failed_mails where event_no = any (finished);
  delete from texts t using escalations x where x.event_no = any (finished) and t.escalation_no = x.no;
  delete from pushes where event_no = any (finished);
  delete from escalations where event_no = any (finished);
  delete from events where no = any (finished);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

--
-- Name: delete_expired_rows("text", timestamp with time zone, bigint, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."delete_expired_rows"("table_name" "text", "before" timestamp with time zone, "after_no" bigint, "batch_rows" integer, OUT "deleted" integer, OUT "last_no" bigint) RETURNS "record"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  nos bigint[];
  is_done boolean;
begin
  if before > now() - (case table_name when 'audit_log' then interval '30 days' else interval '1 day' end) then
    raise exception 'rows of % that are so young cannot be deleted', table_name;
  end if;
  case table_name
    when 'rejected_readings' then
      select array_agg(no) filter (where received_at < before), bool_or(received_at >= before), max(no)
      into nos, is_done, last_no
      from (select no, received_at from rejected_readings where no > after_no order by no limit batch_rows) as looked_at;
      delete from rejected_readings where no = any (nos);
    when 'webhook_deliveries' then
      select array_agg(no) filter (where finished_at < before), bool_or(created_at >= before), max(no)
      into nos, is_done, last_no
      from (
        select no, created_at, finished_at from webhook_deliveries where no > after_no order by no limit batch_rows
      ) as looked_at;
      delete from webhook_deliveries where no = any (nos);
    when 'event_mails' then
      select array_agg(no) filter (where sent_at < before), bool_or(sent_at >= before), max(no) into nos, is_done, last_no
      from (select no, sent_at from event_mails where no > after_no order by no limit batch_rows) as looked_at;
      delete from event_mails where no = any (nos);
    when 'events' then
      -- The newest event of each type of a tank stays: without it, a re-evaluation would record and notify of it again.
      select array_agg(no) filter (where recorded_at < before and exists (
               select from events newer
               where newer.tank_no = looked_at.tank_no and newer.type = looked_at.type
                 and newer.occurred_at > looked_at.occurred_at
             )), bool_or(recorded_at >= before), max(no)
      into nos, is_done, last_no
      from (
        select no, tank_no, type, occurred_at, recorded_at from events where no > after_no order by no limit batch_rows
      ) as looked_at;
      deleted := delete_events(nos);
    when 'audit_log' then
      select array_agg(no) filter (where at < before), bool_or(at >= before), max(no) into nos, is_done, last_no
      from (select no, at from audit_log where no > after_no order by no limit batch_rows) as looked_at;
      delete from audit_log where no = any (nos);
  end case;
  if table_name <> 'events' then
    get diagnostics deleted = row_count;
  end if;
  if is_done then
    last_no := null;
  end if;
end
$$;

--
-- Name: delete_ledger(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."delete_ledger"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  delete from delivery_notes where organization_no = new.no;
  delete from ledger_entries where organization_no = new.no;
  delete from ledger_organizations where organization_no = new.no;
  delete from erased_deliveries where organization_no = new.no;
  delete from ledger_marks where organization_no = new.no;
  return null;
end
$$;

--
-- Name: delete_old_idempotency_keys(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."delete_old_idempotency_keys"() RETURNS integer
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  deleted int;
begin
  delete from daily_uses where day < (now() at time zone 'UTC')::date;
  delete from idempotency_keys where (organization_no, caller, key) in (
    select organization_no, caller, key from idempotency_keys
    where created_at < now() - interval '24 hours' order by created_at limit 10000
  );
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

--
-- Name: delete_old_key_activity(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."delete_old_key_activity"("kept_days" integer) RETURNS integer
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  deleted int;
begin
  delete from key_activity where (key_no, day, address) in (
    select key_no, day, address from key_activity
    where day < (now() at time zone 'UTC')::date - kept_days order by day limit 10000
  );
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

--
-- Name: delete_places(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."delete_places"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  delete from places where organization_no = new.no;
  return null;
end
$$;

--
-- Name: delete_regional_rates(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."delete_regional_rates"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  delete from regional_rates where organization_no = new.no;
  delete from estimated_tanks where organization_no = new.no;
  delete from waiting_dips where organization_no = new.no;
  return null;
end
$$;

--
-- Name: delete_rounds(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."delete_rounds"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  delete from rounds where organization_no = new.no;
  delete from delivery_days where organization_no = new.no;
  delete from drivers where organization_no = new.no;
  delete from trucks where organization_no = new.no;
  delete from depots where organization_no = new.no;
  return null;
end
$$;

--
-- Name: deliveries_of_tanks(integer[], double precision[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."deliveries_of_tanks"("tank_nos" integer[], "after_ms" double precision[]) RETURNS TABLE("tank_no" integer, "at_ms" double precision, "points" double precision, "filled_to" real)
    LANGUAGE "sql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select t.no, round(date_part('epoch', d.at) * 1000),
         100 * d.litres / (t.capacity * case t.capacity_unit when 'gallons' then 3.785411784 else 1 end), d.filled_to
  from unnest(tank_nos, after_ms) as s (tank_no, after_ms)
  join tanks t on t.no = s.tank_no
  cross join lateral (
    select n.at, n.volume * case n.unit when 'gallons' then 3.785411784 else 1 end as litres, n.filled_to
    from delivery_notes n
    where n.tank_no = s.tank_no and n.at > to_timestamp(s.after_ms / 1000) and n.at <= now() and not n.is_cancelled
    union all
    select r.said_at, r.said_litres, r.said_filled_to
    from round_stops r
    where r.tank_no = s.tank_no and r.said_litres > 0 and r.said_at > to_timestamp(s.after_ms / 1000) and r.said_at <= now()
      and not exists (
        select from delivery_notes n
        where n.tank_no = r.tank_no and not n.is_cancelled
          and n.at between r.said_at - interval '36 hours' and r.said_at + interval '36 hours'
      )
  ) as d
$$;

--
-- Name: derive_event_id("uuid", "text", timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."derive_event_id"("tank_id" "uuid", "type" "text", "occurred_at" timestamp with time zone) RETURNS "uuid"
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $$
  select encode(set_byte(set_byte(digest, 6, (get_byte(digest, 6) & 15) | 128), 8, (get_byte(digest, 8) & 63) | 128), 'hex')::uuid
  from substring(sha256(convert_to(
    format('%s %s %s', tank_id, type, (extract(epoch from occurred_at) * 1000)::bigint), 'UTF8')) for 16) as digest
$$;

--
-- Name: driver_round("uuid", integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."driver_round"("of_round" "uuid", "of_generation" integer) RETURNS TABLE("round" "jsonb")
    LANGUAGE "sql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select jsonb_build_object(
    'id', r.id, 'date', r.date, 'state', rs.state, 'truck', k.name, 'truck_capacity', k.capacity, 'unit', k.capacity_unit,
    'driver', d.name, 'organization', o.name, 'organization_phone', o.phone, 'language', o.language, 'time_zone', o.time_zone,
    'fill_to', r.fill_to_percentage,
    'stops', coalesce((
      select jsonb_agg(jsonb_build_object(
        'stop', s.number, 'position', s.position, 'why', s.kind, 'tank_id', t.id, 'tank', t.name, 'custom_id', t.custom_id,
        'city', t.city, 'volume', round((s.litres / u.litres)::numeric, 1), 'fill_percentage', ts.latest_fill_percentage,
        'is_dip', t.assigned_device_id like 'MAN-%',
        'product', coalesce(t.product, o.default_product), 'fill_limit', t.fill_limit_percentage,
        'level_at', to_char(ts.latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'state', x.outcome, 'closed_by', x.outcome_from, 'seen_by_gauge', x.seen_at is not null,
        'delivered_volume', round((s.said_litres / u.litres)::numeric, 1), 'reason', s.said_reason,
        'block', case when x.outcome = 'open' and b.stop_no is not null then jsonb_build_object(
          'since', to_char(b.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'is_read', b.read_at is not null
        ) end,
        -- Nobody goes to a tank that loses gas.
        'details', case when x.outcome = 'open' and b.stop_no is null then jsonb_build_object(
          'customer', coalesce(c.name, ''), 'phone', c.phone,
          'phones', phones_of(c.phone, c.phone_whose, c.is_phone_texted, c.other_phones), 'latitude', t.latitude, 'longitude', t.longitude,
          'address', concat_ws(', ', nullif(concat_ws(' ', t.street, t.street_number), ''), t.district,
                                     nullif(concat_ws(' ', t.postal_code, t.city), '')),
          'notes', coalesce((select jsonb_agg(n.text order by n.no) from tank_notes n
                             where n.tank_no = t.no and n.deleted_at is null and n.prints), '[]')
        ) end
      ) order by s.position)
      from round_stops s
      join round_stop_outcomes x on x.stop_no = s.no
      left join round_stop_blocks b on b.stop_no = s.no
      join tanks t on t.no = s.tank_no and t.deleted_at is null
      join customers c on c.no = t.owner_no
      left join tank_states ts on ts.tank_no = t.no
      where s.round_no = r.no
    ), '[]')
  )
  from rounds r
  join round_states rs on rs.round_no = r.no
  join organizations o on o.no = r.organization_no and o.deleted_at is null
  join trucks k on k.no = r.truck_no
  cross join lateral (select case k.capacity_unit when 'gallons' then 3.785411784 else 1 end as litres) as u
  left join drivers d on d.no = r.driver_no
  where r.id = of_round and r.link_generation = of_generation and r.state <> 'cancelled'
    and now() < r.day_ends_at + interval '3 hours'
$$;

--
-- Name: drop_empty_packed_years(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."drop_empty_packed_years"() RETURNS integer
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    SET "lock_timeout" TO '300ms'
    AS $_$
declare
  partition record;
  dropped int := 0;
begin
  for partition in
    select inhrelid::regclass as name, right(relname, 4)::int as year
    from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = 'packed_telemetry'::regclass and relname ~ '^packed_telemetry_\d{4}$'
  loop
    continue when is_packed_year_in_use(partition.name, partition.year);
    perform pg_advisory_xact_lock(hashtext('telemetry partitions'));
    lock table only packed_telemetry in access exclusive mode;
    -- Looked at again: with this lock nobody can add packed readings.
    continue when is_packed_year_in_use(partition.name, partition.year);
    execute format('drop table %s', partition.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end
$_$;

--
-- Name: drop_expired_telemetry(integer[], timestamp with time zone[], timestamp with time zone[], "text"[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."drop_expired_telemetry"("tank_nos" integer[], "kept_from" timestamp with time zone[], "base_at" timestamp with time zone[], "base_states" "text"[]) RETURNS bigint
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  dropped bigint;
begin
  if exists (select from unnest(kept_from) as k (at) where k.at > now() - interval '60 days' or k.at <> utc_month(k.at)) then
    raise exception 'readings that are so young cannot be dropped';
  end if;
  insert into tank_checkpoints (tank_no, week_index, at, encoded_state)
  select b.tank_no, 4, b.at, b.state from unnest(tank_nos, base_at, base_states) as b (tank_no, at, state)
  order by b.tank_no
  on conflict (tank_no, week_index) do update set at = excluded.at, encoded_state = excluded.encoded_state;

  delete from packed_telemetry p using unnest(tank_nos, kept_from) as k (tank_no, at)
  where p.tank_no = k.tank_no and p.starts_at < k.at and p.starts_at < (select max(m.at) from unnest(kept_from) as m (at));
  -- Of plain months, and what packing has left in partitions that are not dropped yet.
  delete from telemetry t using unnest(tank_nos, kept_from) as k (tank_no, at)
  where t.tank_no = k.tank_no and t.created_at < k.at and t.created_at < (select max(m.at) from unnest(kept_from) as m (at));
  delete from telemetry_buckets b using unnest(tank_nos, kept_from) as k (tank_no, at)
  where b.tank_no = k.tank_no and b.starts_at < k.at;
  with deleted as (
    delete from telemetry_month_counters c using unnest(tank_nos, kept_from) as k (tank_no, at)
    where c.tank_no = k.tank_no and c.month < k.at
    returning c.n
  )
  select coalesce(sum(n), 0) into dropped from deleted;
  return dropped;
end
$$;

--
-- Name: drop_packed_partitions(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."drop_packed_partitions"() RETURNS timestamp with time zone
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    SET "lock_timeout" TO '300ms'
    AS $_$
declare
  old_month timestamptz;
  partition record;
begin
  for old_month in
    select distinct to_date(substring(relname from 11 for 7), 'YYYY_MM')::timestamp at time zone 'UTC'
    from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = 'telemetry'::regclass and relname ~ '^telemetry_\d{4}_\d\d(_\d\d)?$'
    order by 1
  loop
    exit when old_month >= first_hot_month();
    continue when is_month_in_use(old_month);
    perform pg_advisory_xact_lock(hashtext('telemetry partitions'));
    lock table only telemetry in access exclusive mode;
    -- Looked at again: with this lock nobody can add readings.
    continue when is_month_in_use(old_month);
    for partition in
      select inhrelid::regclass as name from pg_inherits join pg_class c on c.oid = inhrelid
      where inhparent = 'telemetry'::regclass and c.relname like replace(telemetry_partition(old_month), '_', '\_') || '%'
    loop
      execute format('drop table %s', partition.name);
    end loop;
    return old_month;
  end loop;
  return null;
end
$_$;

--
-- Name: end_all_sessions(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."end_all_sessions"() RETURNS integer
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  ended int;
begin
  update sessions set ended_at = now() where ended_at is null and expires_at > now();
  get diagnostics ended = row_count;
  delete from sign_ins;
  delete from push_subscriptions;
  return ended;
end
$$;

--
-- Name: end_handling(integer[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."end_handling"("in_tank_nos" integer[]) RETURNS integer
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  ended record;
  tank_nos int[] := '{}';
begin
  perform from fleet_tanks where tank_no = any (in_tank_nos) order by tank_no for no key update;
  for ended in
    with recorded as (
      update acknowledgements a set ended_at = now(), ended_because = e.over_because
      from acknowledgement_ends e
      where e.no = a.no and e.tank_no = any (in_tank_nos) and e.over_because is not null and a.ended_at is null
      returning a.no, a.id, a.tank_no, a.condition, a.ended_because
    )
    select tank_no, jsonb_agg(jsonb_build_object('acknowledgement_id', id, 'condition', condition, 'because', ended_because)
                              order by no) as list
    from recorded group by tank_no order by tank_no
  loop
    perform record_work_event(ended.tank_no, 'tank.acknowledgement_ended', jsonb_build_object('ended', ended.list));
    tank_nos := tank_nos || ended.tank_no;
  end loop;
  for ended in
    update mutes set ended_at = now(), ended_because = 'expired'
    where tank_no = any (in_tank_nos) and ended_at is null and until <= now()
    returning tank_no, id
  loop
    perform record_work_event(ended.tank_no, 'tank.unmuted', jsonb_build_object('mute_id', ended.id, 'because', 'expired'));
    tank_nos := tank_nos || ended.tank_no;
  end loop;
  return (select count(distinct no) from unnest(tank_nos) as no);
end
$$;

--
-- Name: end_outage(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."end_outage"("connector" integer) RETURNS "void"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  update tank_outages set to_at = now() where connector_no = connector and to_at is null;
$$;

--
-- Name: end_resolved_conditions(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."end_resolved_conditions"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
begin
  new.handled := new.handled & (16
    | case when new.losing_seen_at > '-infinity' then 1 else 0 end
    | case when new.is_low then 2 else 0 end
    | case when new.is_gauge_unreliable then 4 else 0 end
    | case when new.is_silent then 8 else 0 end);
  return new;
end
$$;

--
-- Name: end_session("text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."end_session"("of_prefix" "text") RETURNS "void"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  update sessions set ended_at = now() where prefix = of_prefix and ended_at is null;
  delete from push_subscriptions where session_prefix = of_prefix;
$$;

--
-- Name: end_sessions_of_issuer(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."end_sessions_of_issuer"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  update sessions set ended_at = now() where issuer_no = new.no and ended_at is null;
  delete from identities where issuer_no = new.no;
  delete from push_subscriptions where issuer_no = new.no;
  return null;
end
$$;

--
-- Name: end_sessions_of_key(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."end_sessions_of_key"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  update sessions
  set ended_at = coalesce(ended_at, new.revoked_at, case when 'read' <> all (new.scopes) then now() end),
      expires_at = least(expires_at, new.expires_at)
  where key_no = new.no;
  return null;
end
$$;

--
-- Name: end_sessions_of_organization(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."end_sessions_of_organization"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  update sessions set ended_at = now() where organization_no = new.no and ended_at is null;
  delete from issuers where organization_no = new.no;
  delete from profile_assignments where organization_no = new.no;
  delete from gauge_profiles where organization_no = new.no;
  delete from connectors where organization_no = new.no;
  delete from duty_plans where organization_no = new.no;
  delete from text_channels where organization_no = new.no;
  delete from contact_reach where organization_no = new.no;
  delete from texts where organization_no = new.no;
  delete from push_subscriptions where organization_no = new.no;
  delete from pushes where organization_no = new.no;
  delete from escalations where organization_no = new.no;
  return null;
end
$$;

--
-- Name: end_sign_ins(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."end_sign_ins"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $_$
begin
  execute format('update sessions set ended_at = now() where %I = $1 and key_no is null and ended_at is null', tg_argv[0])
  using new.no;
  delete from sign_ins where address = lower(old.email collate "C") and contact_no is null;
  -- Invitations of this person end. They still count for the limits of the organization and of the address, of which only 32 bits
  -- of a hash are kept, for a day.
  if tg_argv[0] = 'contact_no' then
    update sign_ins set address = 'removed ' || hashtext(lower(old.email collate "C")), link_sha256 = null, expires_at = now()
    where contact_no = new.no;
    delete from push_subscriptions where contact_no = new.no;
  end if;
  if tg_argv[0] = 'contact_no' and new.deleted_at is not null then
    delete from identities where contact_no = new.no;
  end if;
  return null;
end
$_$;

--
-- Name: enqueue_events(bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."enqueue_events"("event_nos" bigint[]) RETURNS "void"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select enqueue_quietly('notify_events', event_nos)
$$;

--
-- Name: enqueue_invitation(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."enqueue_invitation"("customer_no" integer) RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  perform graphile_worker.add_job('mail_invitation', json_build_object('customer_no', customer_no),
                                  max_attempts => 10, job_key => 'invitation:' || customer_no);
end
$$;

--
-- Name: enqueue_quietly("text", bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."enqueue_quietly"("in_task" "text", "in_event_nos" bigint[]) RETURNS "void"
    LANGUAGE "plpgsql"
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  in_task_id int;
begin
  if cardinality(in_event_nos) = 0 then
    return;
  end if;
  select id into in_task_id from graphile_worker._private_tasks where identifier = in_task;
  if in_task_id is null then
    insert into graphile_worker._private_tasks (identifier) values (in_task) on conflict do nothing;
    select id into in_task_id from graphile_worker._private_tasks where identifier = in_task;
  end if;
  insert into graphile_worker._private_jobs (task_id, payload, priority)
  values (in_task_id, json_build_object('event_nos', in_event_nos), -10);
end
$$;

--
-- Name: enqueue_retractions(bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."enqueue_retractions"("event_nos" bigint[]) RETURNS "void"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select enqueue_quietly('notify_retractions', event_nos)
$$;

--
-- Name: enqueue_webhook_test(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."enqueue_webhook_test"("in_endpoint_no" integer) RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into webhook_tests (endpoint_no) values (in_endpoint_no)
  on conflict (endpoint_no) do update set requested_at = now();
  perform graphile_worker.add_job('test_webhook', json_build_object('endpoint_no', in_endpoint_no),
                                  max_attempts => 3, job_key => 'test_webhook:' || in_endpoint_no);
end
$$;

--
-- Name: ensure_counter_years(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."ensure_counter_years"("at" timestamp with time zone) RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $_$
declare
  last_year int := extract(year from at at time zone 'UTC');
  next_year int;
begin
  for attempt in 1 .. 2 loop
    select max(right(c.relname, 4)::int) + 1 into next_year
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'telemetry_month_counters'::regclass and c.relname ~ '^telemetry_month_counters_\d{4}$';
    if next_year is null or next_year > last_year then
      return;  -- null if 0078 has not run yet
    end if;
    -- Checks again after the lock, because another session may have created them.
    perform pg_advisory_xact_lock(hashtext('telemetry partitions'));
  end loop;
  for year in next_year .. last_year loop
    perform add_counter_partition(year, make_timestamptz(year, 1, 1, 0, 0, 0, 'UTC'));
  end loop;
end
$_$;

--
-- Name: ensure_packed_year(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."ensure_packed_year"("at" timestamp with time zone) RETURNS "void"
    LANGUAGE "plpgsql"
    AS $$
declare
  year timestamp := date_trunc('year', at at time zone 'UTC');
  partition text := 'packed_telemetry_' || to_char(year, 'YYYY');
begin
  if to_regclass(partition) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('telemetry partitions'));
  if exists (select from pg_class where relnamespace = 'public'::regnamespace and relname = partition) then
    return;
  end if;
  execute format('create table %I (like packed_telemetry including all)', partition);
  execute format('alter table packed_telemetry attach partition %I for values from (%L) to (%L)',
                 partition, year at time zone 'UTC', (year + interval '1 year') at time zone 'UTC');
end
$$;

--
-- Name: ensure_telemetry_month(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."ensure_telemetry_month"("at" timestamp with time zone) RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  part record;
begin
  perform ensure_counter_years(at);
  if not exists (select from missing_telemetry_partitions(at)) then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('telemetry partitions'));
  for part in select * from missing_telemetry_partitions(at) loop
    execute format('create table %I (like telemetry including all)', part.name);
    execute format('alter table telemetry attach partition %I for values from (%L) to (%L)', part.name, part.from_at, part.to_at);
  end loop;
end
$$;

--
-- Name: erase_comments_of_tank(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_comments_of_tank"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  update driver_entries set tank_no = null, comment = null where tank_no = new.no;
  return null;
end
$$;

--
-- Name: erase_contact_reach(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_contact_reach"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  delete from contact_reach where no = new.no;
  return null;
end
$$;

--
-- Name: erase_customer(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_customer"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  -- The name of a narrowed key is often that of its customer.
  update api_keys set name = 'deleted customer', revoked_at = coalesce(revoked_at, now()), last_used_at = null
  where customer_no = new.no;
  delete from reminder_unsubscribes where customer_no = new.no;
  delete from event_mails where recipient = 'customer' and recipient_no = new.no;
  delete from failed_mails where recipient = 'customer' and recipient_no = new.no;
  update idempotency_keys set answer = null where object = 'customer' and object_no = new.no;
  delete from imported_rows where object = 'customer' and object_no = new.no;
  return null;
end
$$;

--
-- Name: erase_deleted_organization(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_deleted_organization"("organization" integer) RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  deleted timestamptz;
  nos int[];
begin
  -- A second worker has nothing to do meanwhile.
  select deleted_at into deleted from organizations
  where no = organization and deleted_at is not null and erased_at is null for no key update skip locked;
  if deleted is null then
    return false;
  end if;

  nos := array(select no from tanks where organization_no = organization and deleted_at is null order by no limit 200);
  if nos <> '{}' then
    update tanks set deleted_at = now(), assigned_device_id = null, custom_id = null, name = null, use_case = null,
      city = null, country = null, district = null, latitude = null, longitude = null, postal_code = null,
      region = null, street = null, street_number = null
    where no = any (nos);
    return true;
  end if;
  nos := array(select no from customers where organization_no = organization and deleted_at is null order by no limit 200);
  if nos <> '{}' then
    update customers set deleted_at = now(), email = null, name = null, phone = null, external_key = null,
      is_verified = false, verified_at = null, last_seen_at = null
    where no = any (nos);
    return true;
  end if;
  delete from rejected_readings where no in (
    select no from rejected_readings where organization_no = organization limit 2000
  );
  if found then
    return true;
  end if;

  if deleted > now() - interval '10 minutes' or exists (
    select from tanks t join tank_states s on s.tank_no = t.no where t.organization_no = organization
  ) then
    return false;
  end if;
  nos := array(select no from tanks where organization_no = organization order by no limit 2000);
  if nos <> '{}' then
    delete from tank_settings_history where tank_no = any (nos); -- of tanks that never had a reading
    delete from tanks where no = any (nos);
    return true;
  end if;
  delete from device_assignments where (organization_no, device_id, from_at) in (
    select organization_no, device_id, from_at from device_assignments where organization_no = organization limit 2000
  );
  if found then
    return true;
  end if;
  delete from api_keys where no in (select no from api_keys where organization_no = organization limit 2000);
  if found then
    return true;
  end if;
  nos := array(select no from customers where organization_no = organization order by no limit 2000);
  if nos <> '{}' then
    delete from customers where no = any (nos);
    delete from catalog_month_counters where list = 'owner_tanks' and scope_no = any (nos);
    delete from catalog_buckets where list = 'owner_tanks' and scope_no = any (nos);
    return true;
  end if;
  delete from webhook_deliveries where no in (
    select d.no from webhook_deliveries d join webhook_endpoints w on w.no = d.endpoint_no
    where w.organization_no = organization limit 2000
  );
  if found then
    return true;
  end if;
  delete from webhook_endpoints where organization_no = organization;
  delete from event_mails m using contacts c
  where c.organization_no = organization and m.recipient = 'contact' and m.recipient_no = c.no;
  delete from device_mails m using contacts c where c.organization_no = organization and m.contact_no = c.no;
  delete from contacts where organization_no = organization;
  delete from device_credentials where organization_no = organization;
  delete from device_password_issues where organization_no = organization;
  delete from organization_secrets where organization_no = organization;
  delete from reevaluations where organization_no = organization;
  delete from catalog_month_counters where list <> 'owner_tanks' and scope_no = organization;
  delete from catalog_buckets where list <> 'owner_tanks' and scope_no = organization;
  update organizations set erased_at = now() where no = organization;
  return false;
end
$$;

--
-- Name: erase_deleted_tank(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_deleted_tank"("after_no" integer) RETURNS integer
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  erased_no int;
begin
  select s.tank_no into erased_no
  from tanks t join tank_states s on s.tank_no = t.no
  where t.deleted_at is not null and t.no > after_no
  order by t.no limit 1 for no key update of s;
  if erased_no is null then
    return null;
  end if;
  delete from telemetry where tank_no = erased_no;
  delete from packed_telemetry where tank_no = erased_no;
  delete from telemetry_month_counters where tank_no = erased_no;
  delete from telemetry_buckets where tank_no = erased_no;
  delete from tank_checkpoints where tank_no = erased_no;
  delete from tank_settings_history where tank_no = erased_no;
  delete from reevaluations where tank_no = erased_no;
  -- Receivers still learn of the last events: those wait until all their deliveries have ended.
  perform delete_events(array(select no from events where tank_no = erased_no));
  if not exists (select from events where tank_no = erased_no) then
    delete from tank_states where tank_no = erased_no;
  else
    update tank_states set encoded_state = null, timer_at = null, reevaluate_from = null where tank_no = erased_no;
  end if;
  return erased_no;
end
$$;

--
-- Name: erase_driver(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_driver"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  update idempotency_keys set answer = null where object = 'driver' and object_no = new.no;
  return null;
end
$$;

--
-- Name: erase_external_key(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_external_key"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
begin
  new.external_key := null;
  return new;
end
$$;

--
-- Name: erase_key_activity(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_key_activity"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  delete from key_activity where key_no = old.no;
  return null;
end
$$;

--
-- Name: erase_notes_of_customer(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_notes_of_customer"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into erased_deliveries as e (organization_no, truck_no, notes, litres)
  select new.organization_no, coalesce(truck_no, 0), count(*),
         sum(volume * case unit when 'gallons' then 3.785411784 else 1 end)
  from delivery_notes where customer_no = new.no and not is_cancelled
  group by coalesce(truck_no, 0) order by 2
  on conflict (organization_no, truck_no) do update set notes = e.notes + excluded.notes, litres = e.litres + excluded.litres;
  update idempotency_keys set answer = null
  where object = 'delivery_note' and object_no in (select no from delivery_notes where customer_no = new.no);
  delete from delivery_notes where customer_no = new.no;  -- with their pins and clock samples
  delete from ledger_entries where customer_no = new.no;
  delete from ledger_marks where customer_no = new.no;
  return null;
end
$$;

--
-- Name: erase_phones(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_phones"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
begin
  new.phone_whose := null;
  new.is_phone_texted := false;
  new.other_phones := null;
  return new;
end
$$;

--
-- Name: erase_stops_of_tank(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_stops_of_tank"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  delete from delivery_days where tank_no = new.no;
  delete from round_stops where tank_no = new.no and is_open;
  update round_stops
  set tank_no = null, chance = null, planned_fill_percentage = null, block_read_since = null, block_read_at = null
  where tank_no = new.no;
  return null;
end
$$;

--
-- Name: erase_stored_answers(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_stored_answers"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  update idempotency_keys set answer = null where object = tg_argv[0] and object_no = new.no;
  return null;
end
$$;

--
-- Name: erase_tank(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_tank"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  delete from rejected_readings r using device_assignments a
  where a.tank_no = new.no and r.organization_no = a.organization_no and r.device_id = a.device_id
    and r.received_at >= a.from_at and r.received_at < a.to_at;
  -- Closes the open assignment as record_moved_assignments does, which fires later and finds none.
  delete from device_assignments where tank_no = new.no and from_at >= now()::timestamptz(3);
  update device_assignments set tank_no = null, to_at = least(to_at, now()) where tank_no = new.no;
  update idempotency_keys set answer = null
  where object = 'note' and object_no in (select no from tank_notes where tank_no = new.no);
  delete from tank_notes where tank_no = new.no;
  delete from tank_gauges where tank_no = new.no;
  delete from gauge_recomputations where tank_no = new.no;
  update idempotency_keys set answer = null where object = 'tank' and object_no = new.no;
  delete from imported_rows where object = 'tank' and object_no = new.no;
  delete from device_health where tank_no = new.no;
  return null;
end
$$;

--
-- Name: erase_webhook_secret(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."erase_webhook_secret"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
begin
  new.secret := '';
  new.previous_secret := null;
  new.previous_secret_until := null;
  return new;
end
$$;

--
-- Name: exceeded_quota(integer, "text", bigint, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."exceeded_quota"("in_organization_no" integer, "in_what" "text", "in_added" bigint, "in_default" bigint) RETURNS double precision
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  used bigint;
  quota bigint;
begin
  select coalesce(case in_what when 'customers' then max_customers when 'tanks' then max_tanks
                               when 'rounds' then max_rounds_per_day when 'delivery_notes' then max_notes_per_day end, in_default)
  into quota from organizations where no = in_organization_no;
  if in_what in ('customers', 'tanks') then
    select sum(n) + in_added into used from catalog_month_counters
    where list = ('organization_' || in_what)::catalog_list and scope_no = in_organization_no;
  else
    insert into daily_uses as u (organization_no, what, n) values (in_organization_no, in_what, in_added)
    on conflict (organization_no, day, what) do update set n = u.n + excluded.n
    returning n into used;
  end if;
  return case when used > quota then quota end;
end
$$;

--
-- Name: fill_search_texts(); Type: PROCEDURE; Schema: public; Owner: -
--

CREATE PROCEDURE "public"."fill_search_texts"()
    LANGUAGE "plpgsql"
    AS $$
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

--
-- Name: fill_search_words(); Type: PROCEDURE; Schema: public; Owner: -
--

CREATE PROCEDURE "public"."fill_search_words"()
    LANGUAGE "plpgsql"
    AS $$
declare
  next_no int;
begin
  for next_no in select no from organizations order by no loop
    perform recount_search_words(next_no);
    commit;
  end loop;
end
$$;

--
-- Name: final_change_number(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."final_change_number"("in_organization_no" integer) RETURNS bigint
    LANGUAGE "sql" STABLE
    AS $$
  select case
    when pg_is_in_recovery() then ((
      select change_number >> 44 from events where organization_no = in_organization_no
      order by change_number desc limit 1) << 44) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    when change_epoch() < used_epoch then (used_epoch::bigint + 1) << 44
    else (change_epoch() << 44) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint
  end
  from change_epochs
$$;

--
-- Name: find_by_words("text", integer, "text"[], "text"[], integer[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."find_by_words"("in_list" "text", "in_organization_no" integer, "patterns" "text"[], "sequences" "text"[], "sequence_words" integer[]) RETURNS SETOF integer
    LANGUAGE "sql" STABLE
    AS $$
  select find_first_by_words(in_list, in_organization_no, patterns, sequences, sequence_words, 1000)
$$;

--
-- Name: find_first_by_words("text", integer, "text"[], "text"[], integer[], integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."find_first_by_words"("in_list" "text", "in_organization_no" integer, "patterns" "text"[], "sequences" "text"[], "sequence_words" integer[], "in_most" integer) RETURNS SETOF integer
    LANGUAGE "plpgsql" STABLE
    SET "enable_seqscan" TO 'off'
    SET "enable_indexscan" TO 'on'
    AS $_$
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
$_$;

--
-- Name: find_key("text", "bytea"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."find_key"("of_prefix" "text", "of_secret_sha256" "bytea") RETURNS TABLE("no" integer, "prefix" "text", "organization_no" integer, "customer_no" integer, "scopes" "text"[], "requests_per_second" integer, "burst" integer, "expires_at" timestamp with time zone, "revoked_at" timestamp with time zone, "is_right" boolean)
    LANGUAGE "sql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select no, prefix, organization_no, customer_no, scopes, requests_per_second, burst, expires_at, revoked_at,
         secret_sha256 = of_secret_sha256
  from api_keys where prefix = of_prefix
$$;

--
-- Name: find_session("text", "bytea"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."find_session"("of_prefix" "text", "of_secret_sha256" "bytea") RETURNS TABLE("no" integer, "prefix" "text", "organization_no" integer, "customer_no" integer, "scopes" "text"[], "requests_per_second" integer, "burst" integer, "expires_at" timestamp with time zone, "revoked_at" timestamp with time zone, "contact_no" integer, "roles" "text"[], "is_right" boolean)
    LANGUAGE "sql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select c.no, c.prefix, c.organization_no, c.customer_no, c.scopes, c.requests_per_second, c.burst, c.expires_at, c.revoked_at,
         c.contact_no, c.roles, s.secret_sha256 = of_secret_sha256
  from session_changes c join sessions s using (prefix) where c.prefix = of_prefix
$$;

--
-- Name: find_similar_names(integer, "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."find_similar_names"("in_organization_no" integer, "in_name" "text") RETURNS SETOF integer
    LANGUAGE "plpgsql" STABLE SECURITY DEFINER ROWS 10
    SET "search_path" TO 'public', 'pg_temp'
    SET "enable_seqscan" TO 'off'
    SET "enable_indexscan" TO 'on'
    AS $_$
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
$_$;

--
-- Name: finish_gauge_recomputation(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."finish_gauge_recomputation"("in_tank_no" integer) RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  if exists (select from gauge_recomputations r where r.tank_no = in_tank_no and r.has_changed) then
    update tank_states s
    set latest_fill_percentage = coalesce((
          select r.fill_percentage from newest_telemetry(in_tank_no, s.latest_at, s.latest_at + interval '1 millisecond', 1) as r
        ), s.latest_fill_percentage),
        reevaluate_from = to_timestamp(0)
    where s.tank_no = in_tank_no;
    delete from tank_checkpoints where tank_no = in_tank_no and week_index < 4;
    update tank_checkpoints set encoded_state = '' where tank_no = in_tank_no and week_index = 4;
    insert into reevaluations as r (tank_no, organization_no, retract_because)
    select no, organization_no, 'gauge_corrected' from tanks where no = in_tank_no
    on conflict (tank_no) do update set retract_because = coalesce(r.retract_because, excluded.retract_because);
    update tanks set levels_changed_at = now() where no = in_tank_no;
  end if;
  update tank_gauges set recomputed_at = now() where tank_no = in_tank_no;
  delete from gauge_recomputations where tank_no = in_tank_no;
end
$$;

--
-- Name: first_hot_month(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."first_hot_month"() RETURNS timestamp with time zone
    LANGUAGE "sql" STABLE
    AS $$
  select utc_month(now() - hot_telemetry_time())
$$;

--
-- Name: fold_text("text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."fold_text"("given" "text") RETURNS "text"
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $$
  select translate(lower(given), ' eaoirnstlcdu0123456789mphbgfvyzjqkwxáàâäãåéèêëíìîïóòôöõúùûüñç',
                                 ' eaoirnstlcdu0123456789mphbgfvyzjqkwxaaaaaaeeeeiiiiooooouuuunc')
$$;

--
-- Name: follow_changed_gauge(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."follow_changed_gauge"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  changed int[];
  organizations int[];
begin
  if tg_op = 'INSERT' then
    select array_agg(tank_no), array_agg(organization_no) into changed, organizations from new_rows;
  elsif tg_op = 'DELETE' then
    select array_agg(tank_no), array_agg(organization_no) into changed, organizations from old_rows;
  else
    select array_agg(coalesce(n.tank_no, o.tank_no)), array_agg(coalesce(n.organization_no, o.organization_no))
    into changed, organizations
    from new_rows n full join old_rows o on o.tank_no = n.tank_no and o.from_at = n.from_at
    where n.definition is distinct from o.definition;
  end if;
  -- The gauges of a deleted tank are deleted without a person, by erase_tank.
  with followed as (
    select distinct c.tank_no, c.organization_no from unnest(changed, organizations) as c (tank_no, organization_no)
    where not exists (select from tanks t where t.no = c.tank_no and t.deleted_at is not null)
  ), queued as (
    insert into gauge_recomputations as r (tank_no, organization_no)
    select tank_no, organization_no from followed order by tank_no
    on conflict (tank_no) do update set next_attempt_at = now(), attempts = 0, last_error = null, computed_to = '-infinity'
  )
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  select current_actor(), organization_no, 'tank', 'update', '{gauge}', array[tank_no] from followed order by tank_no;
  return null;
end
$$;

--
-- Name: follow_changed_round(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."follow_changed_round"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  update round_stops set round_date = new.date where round_no = new.no;  -- set_stop_openness does the rest
  return null;
end
$$;

--
-- Name: follow_changed_tanks(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."follow_changed_tanks"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
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

--
-- Name: follow_changed_truck(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."follow_changed_truck"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  update round_stops set change_number = next_change_number() where round_no = new.no;
  return null;
end
$$;

--
-- Name: follow_changes_of_webhook(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."follow_changes_of_webhook"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  if new.deleted_at is null and exists (select from unnest(new.types) as wanted (type) where type like '%.changed') then
    insert into webhook_followers (endpoint_no, change_number) values (new.no, final_change_number(new.organization_no))
    on conflict do nothing;
  else
    delete from webhook_followers where endpoint_no = new.no;
  end if;
  return null;
end
$$;

--
-- Name: follow_manual_devices(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."follow_manual_devices"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  moved int[] := array(
    select n.no from old_rows o join new_rows n using (no)
    where coalesce(is_manual_device(o.assigned_device_id), false) <> coalesce(is_manual_device(n.assigned_device_id), false)
  );
begin
  if cardinality(moved) = 0 then
    return null;
  end if;
  delete from estimated_tanks e using new_rows n where e.tank_no = n.no and n.no = any (moved) and n.deleted_at is not null;
  delete from waiting_dips d using new_rows n where d.tank_no = n.no and n.no = any (moved) and n.deleted_at is not null;
  update estimated_tanks e set manual_to = now(), is_dip_wanted = false
  from new_rows n where e.tank_no = n.no and n.no = any (moved) and not is_manual_device(n.assigned_device_id);
  insert into estimated_tanks as e (tank_no, organization_no, manual_from)
  select n.no, n.organization_no,
         -- A tank that never reported: dips of before are dips too.
         case when exists (select from tank_states s where s.tank_no = n.no) then now() else '-infinity' end
  from new_rows n where n.no = any (moved) and is_manual_device(n.assigned_device_id) order by n.no
  on conflict (tank_no) do update set manual_from = excluded.manual_from, manual_to = 'infinity', is_dip_wanted = true;
  -- A writer takes the tank state over at once, before a timer says that a device without a sensor is silent.
  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select n.no, n.organization_no, now(), now() from new_rows n
  where n.no = any (moved) and n.deleted_at is null and exists (select from tank_states s where s.tank_no = n.no)
  order by n.no
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  return null;
end
$$;

--
-- Name: follow_notes_of_estimated_tanks(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."follow_notes_of_estimated_tanks"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
  select n.organization_no, n.tank_no, n.at, n.filled_to
  from new_rows n join estimated_tanks e on e.tank_no = n.tank_no and e.manual_to = 'infinity' and n.at >= e.manual_from
  where n.filled_to is not null and not n.is_cancelled and n.at between '2000-01-01T00:00:00Z' and now()
    -- The level of a note that was corrected in other fields is stored already.
    and not exists (
      select from newest_telemetry(n.tank_no, n.at, n.at + interval '1 millisecond', 1) as t where t.fill_percentage = n.filled_to
    );
  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select n.tank_no, min(n.organization_no), min(n.at), now()
  from new_rows n join estimated_tanks e on e.tank_no = n.tank_no
  where exists (select from tank_states s where s.tank_no = n.tank_no)
  group by n.tank_no order by n.tank_no
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  return null;
end
$$;

--
-- Name: follow_readings(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."follow_readings"("in_organization_no" integer) RETURNS bigint
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  if exists (select from reading_followers where organization_no = in_organization_no) then
    -- This transaction gets its number only now.
    update reading_followers set asked_at = now(), complete_from = coalesce(complete_from, next_change_number())
    where organization_no = in_organization_no and (complete_from is null or asked_at < now() - interval '1 hour');
  else
    insert into reading_followers (organization_no) values (in_organization_no) on conflict do nothing;
  end if;
  return (select complete_from from reading_followers where organization_no = in_organization_no);
end
$$;

--
-- Name: follow_stops_of_estimated_tanks(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."follow_stops_of_estimated_tanks"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select new.tank_no, new.organization_no, least(old.said_at, new.said_at), now()
  from estimated_tanks e
  where e.tank_no = new.tank_no and exists (select from tank_states s where s.tank_no = new.tank_no)
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  return null;
end
$$;

--
-- Name: follow_tank_in_ledger(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."follow_tank_in_ledger"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  if new.deleted_at is not null then
    delete from seen_refills where tank_no = new.no;
    delete from note_pins where tank_no = new.no;
  elsif old.owner_no <> new.owner_no then
    delete from note_pins p using delivery_notes n where p.tank_no = new.no and n.no = p.note_no and n.tank_no is null;
    update delivery_notes set customer_no = new.owner_no where tank_no = new.no;
  end if;
  insert into ledger_marks (organization_no, customer_no)
  select new.organization_no, owner_no from (values (old.owner_no), (new.owner_no)) as owners (owner_no) group by owner_no;
  return null;
end
$$;

--
-- Name: follow_told_tanks(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."follow_told_tanks"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select new.tank_no, new.organization_no, now(), now()
  where exists (select from tank_states s where s.tank_no = new.tank_no)
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  values (current_actor(), new.organization_no, 'tank', 'update', '{estimate}', array[new.tank_no]);
  return null;
end
$$;

--
-- Name: follow_ups_of(bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."follow_ups_of"("event_nos" bigint[]) RETURNS TABLE("event_no" bigint, "followed" "json")
    LANGUAGE "sql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $_$
  select e.no, json_build_object(
    'handled', coalesce((
      select json_agg(json_build_object(
        'name', coalesce(c.name, c.email), 'comment', a.comment,
        'since', to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ) order by a.no)
      from acknowledgements a
      left join contacts c on c.organization_no = e.organization_no
        and c.id = case when a.acknowledged_by ~ '^contact [0-9a-f-]{36}$' then substr(a.acknowledged_by, 9)::uuid end
      where a.tank_no = e.tank_no and a.condition = begins.condition and a.created_at >= e.occurred_at
        and a.created_at < least(over.at, again.at, 'infinity')
    ), '[]'),
    'refilled_at', (
      select to_char(min(r.occurred_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from events r
      where r.tank_no = e.tank_no and r.type = 'tank.refilled' and r.retracted_at is null and begins.condition = 'low'
        and r.occurred_at > e.occurred_at and r.occurred_at <= least(over.at, again.at, 'infinity')
    ),
    'ended_at', to_char(over.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  )
  from unnest(event_nos) as asked (no)
  join events e on e.no = asked.no
  join (values
    ('tank.low_fill', 'low', 'tank.fill_recovered'),
    ('tank.rapid_loss', 'losing', null),
    ('tank.device_silent', 'silent', 'tank.device_reporting'),
    ('tank.gauge_unreliable', 'gauge_unreliable', 'tank.gauge_reliable')
  ) as begins (type, condition, end_type) on begins.type = e.type
  cross join lateral (
    select min(n.occurred_at) as at from events n
    where n.tank_no = e.tank_no and n.type = begins.end_type and n.retracted_at is null and n.occurred_at > e.occurred_at
  ) as over
  cross join lateral (
    select min(n.occurred_at) as at from events n
    where n.tank_no = e.tank_no and n.type = e.type and n.retracted_at is null and n.occurred_at > e.occurred_at
  ) as again
$_$;

--
-- Name: forget_handling(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."forget_handling"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  deleted int[] := array(
    select n.no from old_rows o join new_rows n using (no) where o.deleted_at is null and n.deleted_at is not null
  );
begin
  if cardinality(deleted) > 0 then
    update idempotency_keys set answer = null
    where object = 'acknowledgement' and object_no in (select no from acknowledgements where tank_no = any (deleted));
    update idempotency_keys set answer = null
    where object = 'mute' and object_no in (select no from mutes where tank_no = any (deleted));
    delete from acknowledgements where tank_no = any (deleted);
    delete from mutes where tank_no = any (deleted);
  end if;
  return null;
end
$$;

--
-- Name: forget_unusual_use(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."forget_unusual_use"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  perform from fleet_tanks where organization_no = new.no and unusual_use_at > '-infinity' order by tank_no for no key update;
  update fleet_tanks set unusual_use_at = '-infinity' where organization_no = new.no and unusual_use_at > '-infinity';
  return null;
end
$$;

--
-- Name: handled_tanks(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."handled_tanks"("in_organization_no" integer) RETURNS TABLE("tank_no" integer, "bits" integer)
    LANGUAGE "plpgsql" STABLE ROWS 100
    AS $$
#variable_conflict use_column
begin
  return query select h.tank_no, bit_or(condition_bit(h.condition)) from handled_conditions h
    where h.organization_no = in_organization_no and h.condition <> 'device' group by h.tank_no;
end
$$;

--
-- Name: handling_of(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."handling_of"("in_tank_no" integer) RETURNS TABLE("bits" integer, "handled" "json", "muted_until" timestamp with time zone)
    LANGUAGE "plpgsql" STABLE STRICT ROWS 1
    AS $$
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

--
-- Name: has_many_texts("text", integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."has_many_texts"("in_list" "text", "in_organization_no" integer) RETURNS boolean
    LANGUAGE "plpgsql" STABLE
    AS $$
begin
  return coalesce(sum(n), 0) * 3 > (
    select reltuples from pg_class
    where oid = case in_list when 'tanks' then 'tank_texts'::regclass else 'customer_texts'::regclass end
  )
  from catalog_month_counters where list = ('organization_' || in_list)::catalog_list and scope_no = in_organization_no;
end
$$;

--
-- Name: hasten_escalation(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."hasten_escalation"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  if not exists (
    select from texts where escalation_no = new.escalation_no and step = new.step and status in ('waiting', 'sent', 'delivered')
  ) then
    update escalation_jobs j
    set due_at = case when claimed_by is null then least(due_at, now()) else due_at end,
        due_again_at = case when claimed_by is not null then now() else due_again_at end
    from escalations e
    where e.no = new.escalation_no and e.step = new.step and e.ended_at is null and (e.stage < 2 or e.step <= 2) and e.taken_at is null
      and j.key = 'escalation:' || e.no and j.given_up_at is null;
  end if;
  return null;
end
$$;

--
-- Name: hold_notifications("text", boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."hold_notifications"("in_reason" "text", "in_holds_sign_in_mails" boolean, OUT "is_new" boolean, OUT "held_at" timestamp with time zone) RETURNS "record"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into notification_holds as h (reason, holds_sign_in_mails) values (in_reason, in_holds_sign_in_mails)
  on conflict ((true)) where released_at is null
  do update set holds_sign_in_mails = h.holds_sign_in_mails or excluded.holds_sign_in_mails
  returning xmax = 0, h.held_at into is_new, held_at;
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  values (current_actor(), null, 'notification hold', case when is_new then 'create' else 'update' end, '{}', '{}');
end
$$;

--
-- Name: hot_telemetry_time(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."hot_telemetry_time"() RETURNS interval
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $$ select interval '840 hours' $$;

--
-- Name: invitation_of_sign_in(bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."invitation_of_sign_in"("sign_in_no" bigint) RETURNS TABLE("contact_no" integer, "issuer_label" "text")
    LANGUAGE "sql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select c.no, (
    select coalesce(i.label, o.name) from issuers i join organizations o on o.no = i.organization_no
    where i.organization_no = c.organization_no and i.deleted_at is null and split_part(s.address, '@', 2) = any (i.domains)
    order by i.no limit 1
  )
  from sign_ins s join contacts c on c.no = s.contact_no
  where s.no = sign_in_no
$$;

--
-- Name: invite_contact(integer, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."invite_contact"("of_organization_no" integer, "of_contact_no" integer) RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  folded text;
  addresses text[];
  new_no bigint;
begin
  select lower(email collate "C") into strict folded
  from contacts where no = of_contact_no and organization_no = of_organization_no and has_console and deleted_at is null;
  addresses := array[folded, 'removed ' || hashtext(folded)];  -- as end_sign_ins writes it
  -- Two organizations that invite the same address at once count each other's mails.
  perform pg_advisory_xact_lock(hashtextextended('sign_in ' || folded, 0));
  if (
    select count(*) >= 100 or count(*) filter (where s.address = any (addresses)) >= 5
    from contacts c join sign_ins s on s.contact_no = c.no
    where c.organization_no = of_organization_no and s.kind = 'invitation' and s.created_at > now() - interval '1 day'
  ) or (
    select count(*) >= 10 from sign_ins
    where address = any (addresses) and kind = 'invitation' and created_at > now() - interval '1 day'
  ) then
    return false;
  end if;
  update sign_ins set expires_at = now()
  where contact_no = of_contact_no and redeemed_at is null and expires_at > now();
  -- No browser has the cookie of this hash, so that only the link signs in.
  insert into sign_ins (address, browser_sha256, kind, contact_no, expires_at)
  values (folded, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'invitation', of_contact_no,
          now() + interval '7 days')
  returning no into new_no;
  update contacts set invited_at = now() where no = of_contact_no;
  -- Ten attempts take six hours, as those of the mails about events.
  perform graphile_worker.add_job('mail_sign_in', json_build_object('sign_in_no', new_no), max_attempts => 10, priority => -5);
  return true;
end
$$;

--
-- Name: is_manual_device("text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."is_manual_device"("device_id" "text") RETURNS boolean
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $_$
  select device_id like 'MAN-%' and device_id ~ '^MAN-[A-HJ-NP-Z2-9]{10}$'
$_$;

--
-- Name: is_month_in_use(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."is_month_in_use"("in_month" timestamp with time zone) RETURNS boolean
    LANGUAGE "sql"
    AS $$
  select exists (select from telemetry_month_counters where month = in_month and not is_packed)
      or exists (select from packed_months where month = in_month and (is_kept_plain or packed_at > now() - interval '10 minutes'))
$$;

--
-- Name: is_note_of_round(integer, integer, "text", "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."is_note_of_round"("of_round" integer, "of_tank" integer, "of_series" "text", "of_number" "text") RETURNS boolean
    LANGUAGE "sql" STABLE
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select coalesce(of_round = (
    select e.round_no from driver_entries e
    where e.tank_no = of_tank and e.note_series = of_series and e.note_number = of_number
    order by e.no limit 1
  ), false)
$$;

--
-- Name: is_packed_year_in_use("regclass", integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."is_packed_year_in_use"("partition" "regclass", "in_year" integer) RETURNS boolean
    LANGUAGE "plpgsql"
    SET "enable_seqscan" TO 'off'
    AS $$
declare
  has_rows boolean;
begin
  execute format('select exists (select from (select from %s order by tank_no limit 1) as first)', partition) into has_rows;
  return has_rows or exists (
    select from telemetry_month_counters c
    where not c.is_packed and c.month >= make_timestamptz(in_year, 1, 1, 0, 0, 0, 'UTC')
      and c.month < make_timestamptz(in_year + 1, 1, 1, 0, 0, 0, 'UTC')
  );
end
$$;

--
-- Name: job_status(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."job_status"() RETURNS TABLE("overdue" integer, "oldest_at" timestamp with time zone, "given_up" integer, "given_up_task" "text", "has_worker" boolean)
    LANGUAGE "plpgsql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  is_held boolean;
  holds_all boolean;
  last_release timestamptz;
begin
  select coalesce(bool_or(released_at is null), false), coalesce(bool_or(released_at is null and holds_sign_in_mails), false),
         max(released_at)
  into is_held, holds_all, last_release
  from notification_holds;
  return query
    select (count(*) filter (where s.is_overdue))::int, min(j.run_at) filter (where s.is_overdue),
           (count(*) filter (where j.is_given_up))::int, min(j.task) filter (where j.is_given_up),
           exists (
             select from pg_locks
             where locktype = 'advisory' and granted and objsubid = 2
               and database = (select oid from pg_database where datname = current_database())
               and classid = (hashtext('tankwatch worker')::bigint & 4294967295)::oid
           )
    from (
      select q.task_identifier as task, q.run_at, q.attempts >= q.max_attempts as is_given_up, q.locked_at is not null as is_running
      from graphile_worker.jobs q
      union all
      -- A lease that has expired is overdue as well.
      select m.task, m.due_at, m.given_up_at is not null, false from mail_jobs m
      where m.given_up_at is not null or m.due_at < now() - interval '10 minutes'
      union all
      select 'mail_text', m.due_at, m.given_up_at is not null, false from text_jobs m
      where m.given_up_at is not null or m.due_at < now() - interval '10 minutes'
      union all
      select 'mail_push', m.due_at, m.given_up_at is not null, false from push_jobs m
      where m.given_up_at is not null or m.due_at < now() - interval '10 minutes'
      union all
      select 'mail_escalation', m.due_at, m.given_up_at is not null, false from escalation_jobs m
      where m.given_up_at is not null or m.due_at < now() - interval '10 minutes'
    ) as j
    cross join lateral (
      select not j.is_given_up and not j.is_running
               and greatest(j.run_at, case when j.task like 'mail\_%' then last_release end) < now() - interval '10 minutes'
               and not (j.task like 'mail\_%' and is_held and (holds_all or j.task <> 'mail_sign_in')) as is_overdue
    ) as s;
end
$$;

--
-- Name: keep_console_roles(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."keep_console_roles"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
begin
  if new.deleted_at is not null then
    new.name := null;
  end if;
  -- In one order, and each once: the same roles are the same value.
  new.roles := array(
    select role from unnest(array['viewer', 'dispatcher', 'technician', 'administrator']) with ordinality as known (role, at)
    where role = any (new.roles) order by at
  ) || array(select unnest(new.roles) except select unnest(array['viewer', 'dispatcher', 'technician', 'administrator']));
  if tg_op = 'UPDATE' and new.roles is not distinct from old.roles and new.has_console <> old.has_console then
    new.roles := case when new.has_console then array['viewer'] else array[]::text[] end;
  elsif tg_op = 'INSERT' and new.has_console and new.roles = '{}' then
    new.roles := array['viewer'];
  end if;
  new.has_console := new.roles <> '{}';
  return new;
end
$$;

--
-- Name: keep_former_notes(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."keep_former_notes"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into former_notes (note_no, at, precision, volume, unit, is_cancelled)
  select o.no, o.at, o.precision, o.volume, o.unit, o.is_cancelled
  from old_rows o join new_rows n on n.no = o.no
  where (o.at, o.volume, o.unit, o.is_cancelled) is distinct from (n.at, n.volume, n.unit, n.is_cancelled)
  order by o.no;
  -- The last 100 of each note: a program that sends two values in turn must not fill the disk.
  delete from former_notes f using new_rows n
  where f.note_no = n.no
    and f.no <= (select k.no from former_notes k where k.note_no = n.no order by k.no desc offset 100 limit 1);
  return null;
end
$$;

--
-- Name: keep_former_stops(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."keep_former_stops"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  -- Of a round that is being deleted there is no row any more.
  insert into former_stops (round_no, tank_no) select no, old.tank_no from rounds where no = old.round_no
  on conflict do nothing;
  return null;
end
$$;

--
-- Name: keep_work_event(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."keep_work_event"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
begin
  return null;
end
$$;

--
-- Name: key_beginning(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."key_beginning"("of_organization_no" integer) RETURNS "text"
    LANGUAGE "sql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select left(code, 2) || route_tag from organizations where no = of_organization_no
$$;

--
-- Name: level_at(integer, timestamp with time zone, interval); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."level_at"("in_tank_no" integer, "at" timestamp with time zone, "within" interval) RETURNS real
    LANGUAGE "plpgsql" STABLE
    AS $$
begin
  -- readings have whole milliseconds
  return (
    select t.fill_percentage from newest_telemetry(
      in_tank_no, date_trunc('milliseconds', at - within) + interval '1 millisecond',
      date_trunc('milliseconds', at) + interval '1 millisecond', 1) as t
  );
end
$$;

--
-- Name: lock_expired_telemetry(integer, timestamp with time zone, integer, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."lock_expired_telemetry"("organization" integer, "before" timestamp with time zone, "after_no" integer, "max_tanks" integer) RETURNS TABLE("tank_no" integer, "kept_from" timestamp with time zone, "readings" integer)
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  return query
  with locked as materialized (
    select s.tank_no, least(utc_month(before), utc_month(s.latest_at)) as kept_from
    from tanks t join tank_states s on s.tank_no = t.no
    where t.organization_no = organization and t.no > after_no and t.deleted_at is null
      and s.reevaluate_from is null and not exists (select from reevaluations r where r.tank_no = t.no)
      and not exists (select from gauge_recomputations g where g.tank_no = t.no)
      and exists (
        select from telemetry_month_counters c
        where c.tank_no = t.no and c.month < least(utc_month(before), utc_month(s.latest_at))
      )
    order by t.no limit max_tanks for no key update of s skip locked
  )
  select locked.tank_no, next_utc_month(expired.month), expired.total
  from locked cross join lateral (
    -- As many months as fit into memory, and at least one. The next run continues.
    select m.month, m.total::int
    from (
      select c.month, sum(c.n) over (order by c.month) as total, row_number() over (order by c.month) as position
      from telemetry_month_counters c where c.tank_no = locked.tank_no and c.month < locked.kept_from
    ) as m
    where m.total <= 500000 or m.position = 1
    order by m.month desc limit 1
  ) as expired
  order by locked.tank_no;
end
$$;

--
-- Name: lock_gauge_recomputation(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."lock_gauge_recomputation"("in_tank_no" integer) RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  if not exists (select from tank_states where tank_no = in_tank_no) then
    -- A tank without readings has nothing to compute. But a writer may be storing its first reading, with the gauge from before the
    -- change: the insert waits for the end of that transaction.
    insert into tank_states (tank_no, latest_at, latest_fill_percentage) values (in_tank_no, '-infinity', 0) on conflict do nothing;
    if found then
      delete from tank_states where tank_no = in_tank_no;
      delete from gauge_recomputations where tank_no = in_tank_no;
      return false;
    end if;
  end if;
  perform from tank_states where tank_no = in_tank_no for no key update skip locked;
  if found then
    perform from tanks where no = in_tank_no and deleted_at is null for no key update skip locked;
  end if;
  if found then
    perform from gauge_recomputations where tank_no = in_tank_no for update skip locked;
  end if;
  return found;
end
$$;

--
-- Name: lock_handled_tank(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."lock_handled_tank"("in_tank_no" integer) RETURNS "void"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select from fleet_tanks where tank_no = in_tank_no for no key update
$$;

--
-- Name: lock_organization(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."lock_organization"("in_organization_no" integer) RETURNS "text"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select code from organizations where no = in_organization_no for no key update
$$;

--
-- Name: lock_tanks_for_weather(integer[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."lock_tanks_for_weather"("tank_nos" integer[]) RETURNS TABLE("tank_no" integer, "encoded_state" "text")
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select s.tank_no, s.encoded_state from tank_states s
  where s.tank_no = any (tank_nos) and s.encoded_state is not null and s.reevaluate_from is null
  order by s.tank_no for no key update
$$;

--
-- Name: mark_acknowledged(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."mark_acknowledged"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  if tg_op = 'INSERT' then
    update fleet_tanks set handled = handled | condition_bit(new.condition) where tank_no = new.tank_no;
  else
    update fleet_tanks set handled = handled & ~condition_bit(new.condition) where tank_no = new.tank_no;
  end if;
  return null;
end
$$;

--
-- Name: mark_ledgers_of_events(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."mark_ledgers_of_events"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into ledger_marks (organization_no, customer_no)
  select distinct t.organization_no, t.owner_no from new_rows e join tanks t on t.no = e.tank_no
  where e.type in ('tank.refilled', 'tank.gauge_unreliable', 'tank.gauge_reliable') and t.deleted_at is null;
  return null;
end
$$;

--
-- Name: mark_ledgers_of_notes(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."mark_ledgers_of_notes"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  if tg_op <> 'DELETE' then
    insert into ledger_marks (organization_no, customer_no) select distinct organization_no, customer_no from new_rows;
  end if;
  if tg_op <> 'INSERT' then
    insert into ledger_marks (organization_no, customer_no) select distinct organization_no, customer_no from old_rows;
  end if;
  return null;
end
$$;

--
-- Name: mark_ledgers_of_pins(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."mark_ledgers_of_pins"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into ledger_marks (organization_no, customer_no)
  select distinct n.organization_no, n.customer_no from changed_rows p join delivery_notes n on n.no = p.note_no;
  return null;
end
$$;

--
-- Name: mark_ledgers_of_truck(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."mark_ledgers_of_truck"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into ledger_marks (organization_no, customer_no)
  select distinct organization_no, customer_no from delivery_notes
  where organization_no = new.organization_no and truck_no = new.no and is_compensated is null;
  return null;
end
$$;

--
-- Name: mark_muted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."mark_muted"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  update fleet_tanks set handled = case when new.ended_at is null then handled | 16 else handled & ~16 end
  where tank_no = new.tank_no;
  return null;
end
$$;

--
-- Name: mark_noted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."mark_noted"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  update fleet_tanks
  set has_notes = exists (select from tank_notes n where n.tank_no = new.tank_no and n.deleted_at is null)
  where tank_no = new.tank_no;
  return null;
end
$$;

--
-- Name: max_bucket_items(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."max_bucket_items"() RETURNS integer
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $$ select 2000 $$;

--
-- Name: missing_telemetry_partitions(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."missing_telemetry_partitions"("at" timestamp with time zone) RETURNS TABLE("name" "text", "from_at" timestamp with time zone, "to_at" timestamp with time zone)
    LANGUAGE "sql"
    AS $$
  with existing as (
    select relname::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'f')
      and relname like replace(telemetry_partition(at), '_', '\_') || '%'
  ), has as (
    select exists (select from existing where existing.name = telemetry_partition(at)) as month,
           exists (select from existing where existing.name <> telemetry_partition(at)) as days
  ), expected as (
    select telemetry_partition(at) as name, utc_month(at) as from_at, next_utc_month(at) as to_at
    from has where not days and (month or at < first_hot_month())
    union all
    select telemetry_partition(at) || to_char(day, '_DD'), day at time zone 'UTC', (day + interval '1 day') at time zone 'UTC'
    from has, generate_series(utc_month(at) at time zone 'UTC', (next_utc_month(at) at time zone 'UTC') - interval '1 day',
                              interval '1 day') as day
    where not month and (days or at >= first_hot_month())
  )
  select * from expected where expected.name not in (select existing.name from existing) order by from_at
$$;

--
-- Name: newest_event_epoch(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."newest_event_epoch"() RETURNS bigint
    LANGUAGE "sql" STABLE
    AS $$
  select coalesce(max((select max(change_number) from events e where e.organization_no = o.no) >> 44), 0)
  from organizations o
$$;

--
-- Name: newest_telemetry(integer, timestamp with time zone, timestamp with time zone, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."newest_telemetry"("in_tank_no" integer, "oldest_at" timestamp with time zone, "before_at" timestamp with time zone, "size" integer) RETURNS TABLE("created_at" timestamp with time zone, "fill_percentage" real)
    LANGUAGE "plpgsql" STABLE ROWS 10
    AS $$
declare
  month record;
  missing int := size;
  found_readings int;
  window_time interval;
  window_from timestamptz;
  window_to timestamptz;
begin
  for month in
    select greatest(m.month, oldest_at) as from_at, least(next_utc_month(m.month), before_at) as to_at,
           least(next_utc_month(m.month), now()) - m.month as length, m.n, m.is_packed
    from telemetry_month_counters m
    where m.tank_no = in_tank_no and m.month >= utc_month(oldest_at) and m.month < before_at
    order by m.month desc
  loop
    if month.is_packed then
      return query select * from packed_readings(in_tank_no, month.from_at, month.to_at, missing, true);
      get diagnostics found_readings = row_count;
      missing := missing - found_readings;
    else
      -- The days of the newest readings, and not the whole month: each day is a partition to open. The first window has
      -- about as many readings as are missing. Windows grow, so that a tank that became silent needs few of them.
      window_time := greatest(interval '1 day', month.length * missing / greatest(month.n, 1));
      window_to := month.to_at;
      -- The days to come have partitions too.
      if window_to > now() then
        window_to := coalesce((
          select least(window_to, latest_at + interval '1 millisecond') from tank_states where tank_no = in_tank_no
        ), window_to);
      end if;
      while missing > 0 and window_to > month.from_at loop
        window_from := greatest(month.from_at, window_to - window_time);
        return query
        select t.created_at::timestamptz, t.fill_percentage
        from telemetry t where t.tank_no = in_tank_no and t.created_at >= window_from and t.created_at < window_to
        order by t.created_at desc limit missing;
        get diagnostics found_readings = row_count;
        missing := missing - found_readings;
        window_to := window_from;
        window_time := window_time * 4;
      end loop;
    end if;
    exit when missing <= 0;
  end loop;
end
$$;

--
-- Name: next_change_number(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."next_change_number"() RETURNS bigint
    LANGUAGE "plpgsql"
    AS $$
declare
  timeline constant int := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int;
  epoch_now int;
  used int;
begin
  select epoch + timeline, used_epoch into strict epoch_now, used from change_epochs;
  if epoch_now <> used then
    update change_epochs
    set epoch = case when epoch + timeline < used_epoch then used_epoch else epoch end,
        used_epoch = timeline + case when epoch + timeline < used_epoch then used_epoch else epoch end
    returning used_epoch into strict used;
  end if;
  return (used::bigint << 44) + pg_current_xact_id()::text::bigint;
end
$$;

--
-- Name: next_utc_month(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."next_utc_month"("at" timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE "sql" IMMUTABLE
    AS $$
  select (date_trunc('month', at at time zone 'UTC') + interval '1 month') at time zone 'UTC'
$$;

--
-- Name: oldest_measures(integer, timestamp with time zone, timestamp with time zone, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."oldest_measures"("in_tank_no" integer, "from_at" timestamp with time zone, "to_at" timestamp with time zone, "size" integer) RETURNS TABLE("created_at" timestamp with time zone, "fill_percentage" real, "gauge_value" integer)
    LANGUAGE "plpgsql" STABLE
    AS $$
declare
  month record;
  missing int := size;
  found_readings int;
begin
  for month in
    select m.month, greatest(m.month, oldest_measures.from_at) as from_at,
           least(next_utc_month(m.month), oldest_measures.to_at) as to_at, m.is_packed
    from telemetry_month_counters m
    where m.tank_no = in_tank_no and m.month >= utc_month(oldest_measures.from_at) and m.month < oldest_measures.to_at
    order by m.month
  loop
    if month.is_packed then
      return query
      select packed_origin(month.month) + r.ms * interval '1 millisecond', r.level::real / 100::real, r.value
      from packed_telemetry p cross join lateral unnest(p.times, p.levels, p.gauge_values) as r (ms, level, value)
      where p.tank_no = in_tank_no and p.starts_at >= month.month and p.starts_at < month.to_at
        and r.ms >= packed_time(month.from_at, packed_origin(month.month)) and r.ms < packed_time(month.to_at, packed_origin(month.month))
      order by r.ms limit missing;
    else
      return query
      select t.created_at::timestamptz, t.fill_percentage, t.gauge_value
      from telemetry t where t.tank_no = in_tank_no and t.created_at >= month.from_at and t.created_at < month.to_at
      order by t.created_at limit missing;
    end if;
    get diagnostics found_readings = row_count;
    missing := missing - found_readings;
    exit when missing <= 0;
  end loop;
end
$$;

--
-- Name: oldest_telemetry(integer, timestamp with time zone, timestamp with time zone, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."oldest_telemetry"("in_tank_no" integer, "from_at" timestamp with time zone, "to_at" timestamp with time zone, "size" integer) RETURNS TABLE("created_at" timestamp with time zone, "fill_percentage" real)
    LANGUAGE "plpgsql" STABLE
    AS $$
declare
  month record;
  missing int := size;
  found_readings int;
begin
  for month in
    select greatest(m.month, oldest_telemetry.from_at) as from_at,
           least(next_utc_month(m.month), oldest_telemetry.to_at) as to_at, m.is_packed
    from telemetry_month_counters m
    where m.tank_no = in_tank_no and m.month >= utc_month(oldest_telemetry.from_at) and m.month < oldest_telemetry.to_at
    order by m.month
  loop
    if month.is_packed then
      return query select * from packed_readings(in_tank_no, month.from_at, month.to_at, missing, false);
    else
      if month.to_at > now() then
        month.to_at := coalesce((
          select least(month.to_at, latest_at + interval '1 millisecond') from tank_states where tank_no = in_tank_no
        ), month.to_at);
      end if;
      return query
      select t.created_at::timestamptz, t.fill_percentage
      from telemetry t where t.tank_no = in_tank_no and t.created_at >= month.from_at and t.created_at < month.to_at
      order by t.created_at limit missing;
    end if;
    get diagnostics found_readings = row_count;
    missing := missing - found_readings;
    exit when missing <= 0;
  end loop;
end
$$;

--
-- Name: on_duty(integer, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."on_duty"("organization" integer, "at" timestamp with time zone) RETURNS TABLE("contact_no" integer, "next_contact_no" integer, "is_exception" boolean)
    LANGUAGE "sql" STABLE ROWS 1
    AS $$
  with plan as (
    select p.shifts, p.exceptions, at at time zone o.time_zone as clock
    from duty_plans p join organizations o on o.no = p.organization_no where o.no = organization
  ), planned as (
    select 0 as rank, x.value, x.position from plan cross join jsonb_array_elements(exceptions) with ordinality as x (value, position)
    where clock >= (x.value ->> 'from')::timestamp and clock < (x.value ->> 'to')::timestamp
    union all
    select 1, x.value, x.position from plan cross join jsonb_array_elements(shifts) with ordinality as x (value, position)
    cross join (values (0), (1)) as began (days_ago)
    cross join lateral (select clock::date - days_ago as day) as first
    where x.value -> 'weekdays' @> to_jsonb(extract(isodow from day)::int)
      and clock >= day + (x.value ->> 'from')::time
      and clock < day + (x.value ->> 'to')::time + make_interval(days => case when x.value ->> 'to' <= x.value ->> 'from' then 1 else 0 end)
  )
  select c.no, n.no, rank = 0
  from (select * from planned order by rank, position limit 1) as one
  left join contacts c on c.organization_no = organization and c.id = (value ->> 'contact_id')::uuid and c.deleted_at is null
  left join contacts n on n.organization_no = organization and n.id = (value ->> 'next_contact_id')::uuid and n.deleted_at is null
$$;

--
-- Name: open_assignments(integer[], "text"[], integer[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."open_assignments"("organization_nos" integer[], "device_ids" "text"[], "tank_nos" integer[]) RETURNS "void"
    LANGUAGE "sql"
    SET "enable_seqscan" TO 'off'
    AS $$
  insert into device_assignments (organization_no, device_id, tank_no, from_at)
  select organization_no, device_id, tank_no,
         case when exists (
           select from device_assignments a
           where a.organization_no = moved.organization_no and a.device_id = moved.device_id
         ) then now() else '-infinity' end
  from unnest(organization_nos, device_ids, tank_nos) as moved (organization_no, device_id, tank_no)
$$;

--
-- Name: other_phone_texts("jsonb"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."other_phone_texts"("others" "jsonb") RETURNS "text"
    LANGUAGE "sql" IMMUTABLE STRICT PARALLEL SAFE
    AS $$
  select string_agg(' ' || replace(public.search_text(phone ->> 'number'), ' ', ''), '') from jsonb_array_elements(others) as phone
$$;

--
-- Name: pack_tank_months(integer[], timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."pack_tank_months"("tank_nos" integer[], "in_month" timestamp with time zone) RETURNS integer
    LANGUAGE "plpgsql"
    AS $$
declare
  ends_at timestamptz := next_utc_month(in_month);
  origin timestamptz := packed_origin(in_month);
  packed int;
begin
  if in_month >= first_hot_month() then
    raise exception 'the month % is hot', in_month;
  end if;
  with part as (
    select c.tank_no, coalesce(b.starts_at, c.month) as starts_at,
           lead(b.starts_at, 1, ends_at) over (partition by c.tank_no order by b.starts_at) as to_at
    from telemetry_month_counters c
    left join telemetry_buckets b on b.tank_no = c.tank_no and b.starts_at >= in_month and b.starts_at < ends_at
    where c.tank_no = any (tank_nos) and c.month = in_month and not c.is_packed and not exists (
      -- a wrong counter must not stop the other tanks
      select from packed_telemetry p where p.tank_no = c.tank_no and p.starts_at >= in_month and p.starts_at < ends_at
    )
  ), packing as materialized (
    select part.tank_no, part.starts_at, r.times, r.levels, r.gauge_values
    from part cross join lateral (
      select array_agg(packed_time(t.created_at, origin)) as times,
             array_agg(round(t.fill_percentage * 100)::smallint) as levels,
             case when count(t.gauge_value) > 0 then array_agg(t.gauge_value) end as gauge_values
      from (
        select t.created_at, t.fill_percentage, t.gauge_value from telemetry t
        where t.tank_no = part.tank_no and t.created_at >= part.starts_at and t.created_at < part.to_at
          and t.created_at >= in_month and t.created_at < ends_at
        order by t.created_at
      ) as t
    ) as r
  ), exact as (
    select p.tank_no from packing p
    join telemetry_month_counters c on c.tank_no = p.tank_no and c.month = in_month
    group by p.tank_no, c.n having sum(coalesce(cardinality(p.times), 0)) = c.n
  ), stored as (
    insert into packed_telemetry (tank_no, starts_at, times, levels, gauge_values, checksum)
    select p.tank_no, p.starts_at, p.times, p.levels, p.gauge_values,
           packed_checksum(p.tank_no, p.starts_at, p.times, p.levels, p.gauge_values)
    from packing p join exact using (tank_no)
    where p.times is not null
    order by p.tank_no, p.starts_at
  )
  update telemetry_month_counters c set is_packed = true
  from exact where c.tank_no = exact.tank_no and c.month = in_month;
  get diagnostics packed = row_count;

  insert into packed_months (month, packed_at) values (in_month, clock_timestamp())
  on conflict (month) do update set packed_at = excluded.packed_at;
  return packed;
end
$$;

--
-- Name: pack_telemetry(timestamp with time zone, integer, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."pack_telemetry"("after_month" timestamp with time zone, "after_tank_no" integer, "max_tanks" integer, OUT "month" timestamp with time zone, OUT "last_tank_no" integer, OUT "looked_at" integer, OUT "packed" integer) RETURNS "record"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    SET "enable_seqscan" TO 'off'
    AS $$
declare
  from_tank_no int := after_tank_no + 1;
  tank_nos int[];
begin
  month := after_month;
  loop
    select c.month, c.tank_no into month, from_tank_no
    from telemetry_month_counters c
    where not c.is_packed and (c.month, c.tank_no) >= (pack_telemetry.month, from_tank_no) and c.month < first_hot_month()
    order by c.month, c.tank_no limit 1;
    if month is null then
      return;
    end if;
    exit when not exists (select from packed_months k where k.month = pack_telemetry.month and k.is_kept_plain);
    month := next_utc_month(month);
    from_tank_no := 0;
  end loop;
  perform ensure_packed_year(month);
  tank_nos := array(
    select c.tank_no from telemetry_month_counters c
    where not c.is_packed and c.month = pack_telemetry.month and c.tank_no >= from_tank_no
    order by c.tank_no limit max_tanks
  );
  looked_at := cardinality(tank_nos);
  last_tank_no := tank_nos[looked_at];
  packed := pack_tank_months(array(
    select s.tank_no from tank_states s where s.tank_no = any (tank_nos) order by s.tank_no for no key update skip locked
  ), pack_telemetry.month);
end
$$;

--
-- Name: packed_checksum(integer, timestamp with time zone, integer[], smallint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."packed_checksum"("tank_no" integer, "starts_at" timestamp with time zone, "times" integer[], "levels" smallint[]) RETURNS integer
    LANGUAGE "sql" IMMUTABLE
    AS $$
  select ('x' || encode(substring(sha256(
    int4send(tank_no) || timestamptz_send(starts_at) || array_send(times) || array_send(levels)) for 4), 'hex'))::bit(32)::int
$$;

--
-- Name: packed_checksum(integer, timestamp with time zone, integer[], smallint[], integer[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."packed_checksum"("tank_no" integer, "starts_at" timestamp with time zone, "times" integer[], "levels" smallint[], "gauge_values" integer[]) RETURNS integer
    LANGUAGE "sql" IMMUTABLE
    AS $$
  select ('x' || encode(substring(sha256(
    int4send(tank_no) || timestamptz_send(starts_at) || array_send(times) || array_send(levels)
    || coalesce(array_send(gauge_values), '')) for 4), 'hex'))::bit(32)::int
$$;

--
-- Name: packed_level(integer[], smallint[], timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."packed_level"("times" integer[], "levels" smallint[], "at" timestamp with time zone) RETURNS real
    LANGUAGE "plpgsql" IMMUTABLE
    AS $$
declare
  wanted int := packed_time(at, packed_origin(at));
  position int := width_bucket(wanted, times);
begin
  return case when times[position] = wanted then levels[position]::real / 100::real end;
end
$$;

--
-- Name: packed_origin(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."packed_origin"("at" timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE "sql" IMMUTABLE
    AS $$
  select utc_month(at) + interval '384 hours'
$$;

--
-- Name: packed_page_start(integer, timestamp with time zone, timestamp with time zone, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."packed_page_start"("in_tank_no" integer, "from_at" timestamp with time zone, "to_at" timestamp with time zone, "skip" bigint) RETURNS timestamp with time zone
    LANGUAGE "plpgsql" STABLE
    AS $$
declare
  origin timestamptz := packed_origin(from_at);
  part record;
  -- A variable, because each use of the column would decompress it again.
  part_times int[];
  older int;
  newer int;
begin
  for part in
    select p.times from packed_telemetry p
    where p.tank_no = in_tank_no and p.starts_at >= utc_month(from_at) and p.starts_at < to_at
    order by p.starts_at desc
  loop
    part_times := part.times;
    older := width_bucket(packed_time(from_at, origin) - 1, part_times);
    newer := width_bucket(packed_time(to_at, origin) - 1, part_times);
    if skip < newer - older then
      return origin + (part_times[newer - skip] + 1) * interval '1 millisecond';
    end if;
    skip := skip - (newer - older);
  end loop;
  return null;
end
$$;

--
-- Name: packed_position(integer[], timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."packed_position"("times" integer[], "at" timestamp with time zone) RETURNS integer
    LANGUAGE "plpgsql" IMMUTABLE
    AS $$
declare
  wanted int := packed_time(at, packed_origin(at));
  position int := width_bucket(wanted, times);
begin
  return case when times[position] = wanted then position end;
end
$$;

--
-- Name: packed_readings(integer, timestamp with time zone, timestamp with time zone, integer, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."packed_readings"("in_tank_no" integer, "from_at" timestamp with time zone, "to_at" timestamp with time zone, "size" integer, "is_newest_first" boolean) RETURNS TABLE("created_at" timestamp with time zone, "fill_percentage" real)
    LANGUAGE "plpgsql" STABLE ROWS 100
    AS $$
declare
  origin timestamptz := packed_origin(from_at);
  parts refcursor;
  part record;
  part_times int[];
  older int;
  newer int;
begin
  if is_newest_first then
    open parts for
    select p.starts_at, p.times, p.levels from packed_telemetry p
    where p.tank_no = in_tank_no and p.starts_at >= utc_month(from_at) and p.starts_at < to_at
    order by p.starts_at desc;
  else
    open parts for
    select p.starts_at, p.times, p.levels from packed_telemetry p
    where p.tank_no = in_tank_no and p.starts_at < to_at and p.starts_at >= coalesce((
      -- the part that contains from_at
      select max(q.starts_at) from packed_telemetry q
      where q.tank_no = in_tank_no and q.starts_at >= utc_month(from_at) and q.starts_at <= from_at
    ), utc_month(from_at))
    order by p.starts_at;
  end if;
  loop
    fetch parts into part;
    exit when not found;
    part_times := part.times;
    older := width_bucket(packed_time(from_at, origin) - 1, part_times);
    newer := width_bucket(packed_time(to_at, origin) - 1, part_times);
    if newer - older > size then
      if is_newest_first then
        older := newer - size;
      else
        newer := older + size;
      end if;
    end if;
    if newer > older then
      return query
      select origin + r.ms * interval '1 millisecond', r.level::real / 100::real
      from unnest(part_times[older + 1 : newer], part.levels[older + 1 : newer]) with ordinality as r (ms, level, position)
      order by case when is_newest_first then -r.position else r.position end;
      size := size - (newer - older);
    end if;
    exit when size = 0 or is_newest_first and part.starts_at <= from_at;
  end loop;
  close parts;
end
$$;

--
-- Name: packed_series_pieces(integer, timestamp with time zone, interval, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."packed_series_pieces"("in_tank_no" integer, "from_at" timestamp with time zone, "bucket_width" interval, "buckets" integer) RETURNS TABLE("bucket" integer, "piece_at" timestamp with time zone, "n" integer, "first_fill" real, "lowest_fill" real, "highest_fill" real, "last_fill" real)
    LANGUAGE "plpgsql" STABLE
    SET "plan_cache_mode" TO 'force_generic_plan'
    AS $$
declare
  ends_at timestamptz := from_at + buckets * bucket_width;
  part record;
  part_times int[];
  part_levels smallint[];
  origin timestamptz;
begin
  for part in
    select p.starts_at::timestamptz, p.times, p.levels
    from telemetry_month_counters m
    join packed_telemetry p on p.tank_no = m.tank_no and p.starts_at >= m.month and p.starts_at < next_utc_month(m.month)
    where m.tank_no = in_tank_no and m.is_packed and m.month >= utc_month(from_at) and m.month < ends_at
      and p.starts_at < ends_at and p.starts_at >= coalesce((
        -- the part that contains from_at
        select max(q.starts_at) from packed_telemetry q
        where q.tank_no = in_tank_no and q.starts_at >= utc_month(from_at) and q.starts_at <= from_at
      ), from_at)
  loop
    part_times := part.times;
    part_levels := part.levels;
    origin := packed_origin(part.starts_at);
    return query
    select piece.bucket, part.starts_at, piece.newer - piece.older, part_levels[piece.older + 1]::real / 100::real,
           l.lowest::real / 100::real, l.highest::real / 100::real, part_levels[piece.newer]::real / 100::real
    from (
      select b.bucket, width_bucket(packed_time(b.from_at, origin) - 1, part_times) as older,
             width_bucket(packed_time(b.to_at, origin) - 1, part_times) as newer
      from series_buckets(
        packed_series_pieces.from_at, bucket_width, buckets,
        origin + part_times[1] * interval '1 millisecond',
        origin + (part_times[cardinality(part_times)] + 1) * interval '1 millisecond'
      ) as b
      offset 0
    ) as piece
    cross join lateral (
      select min(level) as lowest, max(level) as highest
      from (select unnest(part_levels[piece.older + 1 : piece.newer]) as level) as levels
    ) as l
    where piece.newer > piece.older;
  end loop;
end
$$;

--
-- Name: packed_time(timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."packed_time"("at" timestamp with time zone, "origin" timestamp with time zone) RETURNS integer
    LANGUAGE "sql" IMMUTABLE
    AS $$
  select (date_part('epoch', date_trunc('milliseconds', at at time zone 'UTC' + interval '999 microseconds')
                             - origin at time zone 'UTC') * 1000)::int
$$;

--
-- Name: partition_month_counters(); Type: PROCEDURE; Schema: public; Owner: -
--

CREATE PROCEDURE "public"."partition_month_counters"()
    LANGUAGE "plpgsql"
    AS $$
declare
  is_empty boolean := not exists (select from telemetry_month_counters);
  -- The months to come. Rows of a month that begins later are not stored while this runs.
  bound timestamptz := case when is_empty then date_trunc('year', now() at time zone 'UTC') at time zone 'UTC'
                            else next_utc_month(now() + interval '7 days') end;
begin
  if (select relkind from pg_class where oid = 'telemetry_month_counters'::regclass) = 'p' then
    return;
  end if;
  for attempt in 1 .. 120 loop
    begin
      perform set_config('lock_timeout', '200ms', true);
      alter table telemetry_month_counters drop constraint if exists is_earlier_month;
      if not is_empty then
        execute format('alter table telemetry_month_counters add constraint is_earlier_month check (month < %L) not valid', bound);
      end if;
      exit;
    exception when lock_not_available or deadlock_detected then
      if attempt = 120 then raise; end if;
    end;
    perform pg_sleep(1);
  end loop;
  commit;
  if not is_empty then
    alter table telemetry_month_counters validate constraint is_earlier_month;
    commit;
  end if;
  for attempt in 1 .. 120 loop
    begin
      perform attach_earlier_counters(bound);
      exit;
    exception when lock_not_available or deadlock_detected then
      if attempt = 120 then raise; end if;
    end;
    perform pg_sleep(1);
  end loop;
  commit;
  alter table telemetry_month_counters_earlier drop constraint if exists is_earlier_month;
  commit;
end
$$;

--
-- Name: phones_of("text", "text", boolean, "jsonb"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."phones_of"("phone" "text", "whose" "text", "is_texted" boolean, "others" "jsonb") RETURNS "jsonb"
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $$
  select case when phone is null then '[]'
    else jsonb_build_array(jsonb_build_object('number', phone, 'whose', whose, 'text_for_loss', is_texted)) end
    || coalesce(others, '[]')
$$;

--
-- Name: plain_page_start(integer, timestamp with time zone, timestamp with time zone, integer, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."plain_page_start"("in_tank_no" integer, "from_at" timestamp with time zone, "to_at" timestamp with time zone, "n" integer, "skip" bigint) RETURNS timestamp with time zone
    LANGUAGE "plpgsql" STABLE
    AS $$
begin
  -- From the nearer end, because each day on the way is a partition to look at.
  if skip > n / 2 then
    return (
      select created_at + interval '1 millisecond' from telemetry
      where tank_no = in_tank_no and created_at >= from_at and created_at < to_at
      order by created_at offset n - skip - 1 limit 1
    );
  end if;
  return (
    select created_at + interval '1 millisecond' from telemetry
    where tank_no = in_tank_no and created_at >= from_at and created_at < to_at
    order by created_at desc offset skip limit 1
  );
end
$$;

--
-- Name: plain_series_pieces(integer, timestamp with time zone, interval, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."plain_series_pieces"("in_tank_no" integer, "from_at" timestamp with time zone, "bucket_width" interval, "buckets" integer) RETURNS TABLE("bucket" integer, "piece_at" timestamp with time zone, "n" integer, "first_fill" real, "lowest_fill" real, "highest_fill" real, "last_fill" real)
    LANGUAGE "plpgsql" STABLE
    SET "plan_cache_mode" TO 'force_generic_plan'
    AS $$
declare
  ends_at timestamptz := from_at + buckets * bucket_width;
begin
  return query
  select piece.bucket, piece.from_at, a.n, first.fill_percentage, a.lowest, a.highest, last.fill_percentage
  from telemetry_month_counters m
  cross join lateral series_buckets(plain_series_pieces.from_at, bucket_width, buckets, m.month, next_utc_month(m.month)) as piece
  cross join lateral (
    select count(*)::int as n, min(t.fill_percentage) as lowest, max(t.fill_percentage) as highest
    from telemetry t
    where t.tank_no = in_tank_no and t.created_at >= piece.from_at and t.created_at < piece.to_at
      and t.created_at >= plain_series_pieces.from_at and t.created_at < ends_at  -- prunes partitions before they are opened
  ) as a
  cross join lateral (
    select t.fill_percentage from telemetry t
    where t.tank_no = in_tank_no and t.created_at >= piece.from_at and t.created_at < piece.to_at
      and t.created_at >= plain_series_pieces.from_at and t.created_at < ends_at
    order by t.created_at limit 1
  ) as first
  cross join lateral (
    select t.fill_percentage from telemetry t
    where t.tank_no = in_tank_no and t.created_at >= piece.from_at and t.created_at < piece.to_at
      and t.created_at >= plain_series_pieces.from_at and t.created_at < ends_at
    order by t.created_at desc limit 1
  ) as last
  where m.tank_no = in_tank_no and not m.is_packed and m.month >= utc_month(plain_series_pieces.from_at) and m.month < ends_at;
end
$$;

--
-- Name: plan_broker_cleanup(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."plan_broker_cleanup"("connector" integer) RETURNS "void"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  insert into broker_cleanups (connector_no, settings, sealed_secret, published)
  select c.no, c.settings, c.sealed_secret, s.memory -> 'published'
  from connectors c join connector_states s on s.connector_no = c.no
  where c.no = connector and c.kind = 'home_assistant' and c.deleted_at is null and jsonb_typeof(s.memory -> 'published') = 'array'
$$;

--
-- Name: quiet_until(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."quiet_until"("contact" integer) RETURNS timestamp with time zone
    LANGUAGE "sql" STABLE
    AS $$
  select (case when clock.at::time < r.quiet_to then clock.at::date else clock.at::date + 1 end + r.quiet_to) at time zone o.time_zone
  from contact_reach r join organizations o on o.no = r.organization_no
  cross join lateral (select now() at time zone o.time_zone as at) as clock
  where r.no = contact and case when r.quiet_from < r.quiet_to
    then clock.at::time >= r.quiet_from and clock.at::time < r.quiet_to
    else clock.at::time >= r.quiet_from or clock.at::time < r.quiet_to end
$$;

--
-- Name: raise_change_epoch(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."raise_change_epoch"() RETURNS "void"
    LANGUAGE "sql"
    AS $$
  update change_epochs
  set epoch = greatest(epoch, epoch + greatest(used_epoch, newest_event_epoch()) + 16 - change_epoch()),
      history = extract(epoch from now())::bigint
$$;

--
-- Name: record_block_read("uuid", integer, integer, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_block_read"("of_round" "uuid", "of_generation" integer, "of_stop" integer, "of_since" timestamp with time zone) RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  perform from rounds r join organizations o on o.no = r.organization_no and o.deleted_at is null
  where r.id = of_round and r.link_generation = of_generation;
  if not found then
    return false;
  end if;
  -- The first time counts. What was read about an earlier loss counts no more.
  update round_stops s set block_read_since = b.since, block_read_at = now()
  from rounds r join round_stop_blocks b on b.round_no = r.no
  where r.id = of_round and s.no = b.stop_no and s.number = of_stop and date_trunc('milliseconds', b.since) = of_since
    and s.block_read_since is distinct from b.since;
  return true;
end
$$;

--
-- Name: record_change_xid(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_change_xid"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
begin
  new.changed_xid := pg_current_xact_id();
  return new;
end
$$;

--
-- Name: record_command(integer, "text", "text", "text"[], integer[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_command"("in_organization_no" integer, "in_object" "text", "in_action" "text", "in_fields" "text"[], "in_object_nos" integer[]) RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  if in_action not in ('import', 'issue', 'replay', 'pack', 'unpack') and in_object <> 'weather' then
    raise exception 'the action % is recorded by triggers only', in_action;
  end if;
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  values (current_actor(), in_organization_no, in_object, in_action, in_fields, in_object_nos);
end
$$;

--
-- Name: record_connector_event(integer, "text", timestamp with time zone, "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_connector_event"("connector" integer, "in_type" "text", "since" timestamp with time zone, "because" "text") RETURNS "void"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  with told as (
    insert into events (id, organization_no, tank_no, type, occurred_at, data, readings, notify)
    select derive_event_id(t.id, in_type, now()), c.organization_no, t.no, in_type, now()::timestamptz(3),
           jsonb_build_object('connector_id', c.id, 'name', c.name, 'since', since, 'reason', because, 'tanks', t.tanks), '[]', true
    from connectors c
    cross join lateral (
      select t.no, t.id, count(*) over () as tanks from connector_devices d
      join tanks t on t.organization_no = c.organization_no and t.assigned_device_id = d.device_id and t.deleted_at is null
      where d.connector_no = c.no order by t.no limit 1
    ) as t
    where c.no = connector and in_type in ('connector.down', 'connector.up')
    on conflict do nothing
    returning no
  )
  select enqueue_events(array_agg(no)) from told having count(*) > 0;
$$;

--
-- Name: record_deleted_organization(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_deleted_organization"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into removals (kind, organization, object, ended_at) values ('organization', new.code, new.code, new.deleted_at);
  return null;
end
$$;

--
-- Name: record_driver_entry("uuid", integer, "uuid", integer, "uuid", "text", double precision, "text", "text", "text", timestamp with time zone, "text", "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_driver_entry"("of_round" "uuid", "of_generation" integer, "of_id" "uuid", "of_stop" integer, "of_tank" "uuid", "of_kind" "text", "of_volume" double precision, "of_unit" "text", "of_reason" "text", "of_comment" "text", "of_at" timestamp with time zone, "of_series" "text", "of_number" "text") RETURNS "text"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  the_round record;
  the_tank  int;
  known     driver_entries;
  entry     driver_entries;
  newest    driver_entries;
begin
  perform set_config('tankwatch.actor', 'link of a driver', true);
  select r.no, r.organization_no, r.truck_no, r.driver_no into the_round
  from rounds r join organizations o on o.no = r.organization_no and o.deleted_at is null
  where r.id = of_round and r.link_generation = of_generation
  for no key update of r;
  if not found then
    return 'ended';
  end if;
  select * into known from driver_entries where id = of_id;
  if found then
    return case when (known.round_no, known.stop_number, known.kind, known.volume, known.volume_unit, known.reason, known.at,
                      known.note_series, known.note_number)
                     is not distinct from
                     (the_round.no, of_stop, of_kind, of_volume, of_unit, of_reason, of_at::timestamptz(3),
                      of_series, of_number)
                -- Erased with its tank.
                and (known.comment is not distinct from of_comment or known.tank_no is null) then 'same' else 'other' end;
  end if;
  if (select count(*) from driver_entries where round_no = the_round.no) >= 2000 then
    return 'full';
  end if;
  select t.no into the_tank from tanks t
  where t.id = of_tank and t.organization_no = the_round.organization_no and t.deleted_at is null
    and (exists (select from round_stops s where s.round_no = the_round.no and s.tank_no = t.no)
      or exists (select from former_stops f where f.round_no = the_round.no and f.tank_no = t.no));
  insert into driver_entries (id, organization_no, round_no, stop_number, tank_no, kind, volume, volume_unit, reason, comment, at,
                              note_series, note_number)
  values (of_id, the_round.organization_no, the_round.no, of_stop, the_tank, of_kind, of_volume, of_unit, of_reason,
          case when the_tank is not null then of_comment end, of_at, of_series, of_number)
  returning * into entry;

  select * into newest from driver_entries
  where round_no = the_round.no and stop_number = of_stop and tank_no is not distinct from the_tank
  order by at desc, no desc limit 1;
  begin
    update round_stops
    set said = case newest.kind when 'reopened' then null else newest.kind end,
        said_reason = newest.reason,
        said_litres = newest.volume * case newest.volume_unit when 'gallons' then 3.785411784 else 1 end,
        said_at = case newest.kind when 'reopened' then null else time_of_driver_entry(newest) end,
        said_as = case newest.kind when 'reopened' then null else 'driver' end,
        said_by = case newest.kind when 'reopened' then null else current_actor() end
    where round_no = the_round.no and (tank_no = the_tank or (tank_no is null and number = of_stop));
  exception when unique_violation then
    null;  -- taken back, and another round has the tank now: the stop stays closed here
  end;
  -- A note that an import or a person has written stays as it is.
  if of_number is not null and the_tank is not null then
    insert into delivery_notes as n (id, organization_no, series, number, customer_no, tank_no, truck_no, driver_no, at, precision,
                                     volume, unit, source)
    select of_id, the_round.organization_no, of_series, of_number, t.owner_no, the_tank, the_round.truck_no, the_round.driver_no,
           time_of_driver_entry(entry), 'minute', of_volume, of_unit, 'driver'
    from tanks t where t.no = the_tank
    on conflict (organization_no, series, number) do update
    set volume = excluded.volume, unit = excluded.unit, at = excluded.at, updated_at = now()
    where n.source = 'driver' and n.tank_no = excluded.tank_no and newest.id = of_id;
  end if;
  -- What the driver took back, or wrote again with another number, counts nowhere.
  update delivery_notes n set is_cancelled = not is_cancelled, updated_at = now()
  from (
    select distinct note_series, note_number from driver_entries
    where round_no = the_round.no and stop_number = of_stop and tank_no = the_tank and note_number is not null
  ) as e
  where n.organization_no = the_round.organization_no and n.series = e.note_series and n.number = e.note_number
    and n.source = 'driver' and n.tank_no = the_tank
    and n.is_cancelled <> ((n.series, n.number) is distinct from (newest.note_series, newest.note_number));
  update rounds set state = 'under_way', started_at = coalesce(started_at, time_of_driver_entry(entry)), updated_at = now()
  where no = the_round.no and state = 'planned';
  return 'stored';
end
$$;

--
-- Name: FUNCTION "record_driver_entry"("of_round" "uuid", "of_generation" integer, "of_id" "uuid", "of_stop" integer, "of_tank" "uuid", "of_kind" "text", "of_volume" double precision, "of_unit" "text", "of_reason" "text", "of_comment" "text", "of_at" timestamp with time zone, "of_series" "text", "of_number" "text"); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION "public"."record_driver_entry"("of_round" "uuid", "of_generation" integer, "of_id" "uuid", "of_stop" integer, "of_tank" "uuid", "of_kind" "text", "of_volume" double precision, "of_unit" "text", "of_reason" "text", "of_comment" "text", "of_at" timestamp with time zone, "of_series" "text", "of_number" "text") IS 'not used since 0.4.0';

--
-- Name: record_driver_word("uuid", integer, "uuid", integer, "uuid", "text", double precision, "text", "text", "text", timestamp with time zone, "text", "text", real); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_driver_word"("of_round" "uuid", "of_generation" integer, "of_id" "uuid", "of_stop" integer, "of_tank" "uuid", "of_kind" "text", "of_volume" double precision, "of_unit" "text", "of_reason" "text", "of_comment" "text", "of_at" timestamp with time zone, "of_series" "text", "of_number" "text", "of_filled_to" real) RETURNS "text"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  the_round record;
  the_tank  int;
  known     driver_entries;
  entry     driver_entries;
begin
  perform set_config('tankwatch.actor', 'link of a driver', true);
  select r.no, r.organization_no, r.truck_no, r.driver_no into the_round
  from rounds r join organizations o on o.no = r.organization_no and o.deleted_at is null
  where r.id = of_round and r.link_generation = of_generation
  for no key update of r;
  if not found then
    return 'ended';
  end if;
  select * into known from driver_entries where round_no = the_round.no and id = of_id;
  if found then
    return case when (known.stop_number, known.kind, known.volume, known.volume_unit, known.reason, known.at,
                      known.note_series, known.note_number, known.filled_to)
                     is not distinct from
                     (of_stop, of_kind, of_volume, of_unit, of_reason, of_at::timestamptz(3), of_series, of_number, of_filled_to)
                -- The comment was erased with its tank.
                and (known.comment is not distinct from of_comment or known.tank_no is null) then 'same' else 'other' end;
  end if;
  if (select count(*) from driver_entries where round_no = the_round.no and recorded_by is null) >= 2000 then
    return 'full';
  end if;
  -- The tank must be or have been on the round: a driver knows the ids of tanks of earlier rounds. Otherwise the entry
  -- is stored without a tank, and creates neither a note nor a dip.
  select t.no into the_tank from tanks t
  where t.id = of_tank and t.organization_no = the_round.organization_no and t.deleted_at is null
    and (exists (select from round_stops s where s.round_no = the_round.no and s.tank_no = t.no)
      or exists (select from former_stops f where f.round_no = the_round.no and f.tank_no = t.no));
  insert into driver_entries (id, organization_no, round_no, stop_number, tank_no, kind, volume, volume_unit, reason, comment, at,
                              note_series, note_number, filled_to)
  values (of_id, the_round.organization_no, the_round.no, of_stop, the_tank, of_kind, of_volume, of_unit, of_reason,
          case when the_tank is not null then of_comment end, of_at, of_series, of_number, of_filled_to)
  returning * into entry;
  perform apply_stop_entry(entry);
  return 'stored';
end
$$;

--
-- Name: record_entry_for_driver(integer, integer, "uuid", "text", double precision, "text", "text", "text", timestamp with time zone, "text", "text", real, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_entry_for_driver"("of_round" integer, "of_stop" integer, "of_id" "uuid", "of_kind" "text", "of_volume" double precision, "of_unit" "text", "of_reason" "text", "of_comment" "text", "of_at" timestamp with time zone, "of_series" "text", "of_number" "text", "of_filled_to" real, "of_correction" boolean) RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  entry driver_entries;
begin
  if (select count(*) from driver_entries where round_no = of_round and recorded_by is not null) >= 2000 then
    return null;
  end if;
  insert into driver_entries (id, organization_no, round_no, stop_number, tank_no, kind, volume, volume_unit, reason, comment, at,
                              note_series, note_number, filled_to, recorded_by, is_correction)
  select of_id, s.organization_no, s.round_no, s.number, s.tank_no, of_kind, of_volume, of_unit, of_reason, of_comment, of_at,
         of_series, of_number, of_filled_to, current_actor(), of_correction
  from round_stops s where s.round_no = of_round and s.number = of_stop
  returning * into entry;
  return apply_stop_entry(entry);
end
$$;

--
-- Name: record_feed_removals(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_feed_removals"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  if tg_argv[0] = 'stop' then
    insert into feed_removals (organization_no, change_number, kind, id)
    select s.organization_no, next_change_number(), 'stop', r.id || '/' || s.number
    from old_rows s join rounds r on r.no = s.round_no
    join organizations o on o.no = s.organization_no and o.deleted_at is null;
  else
    insert into feed_removals (organization_no, change_number, kind, id)
    select d.organization_no, next_change_number(), tg_argv[0], d.id
    from old_rows d join organizations o on o.no = d.organization_no and o.deleted_at is null;
  end if;
  return null;
end
$$;

--
-- Name: record_key_activity(integer[], "text"[], integer[], timestamp with time zone[], timestamp with time zone[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_key_activity"("key_nos" integer[], "addresses" "text"[], "request_counts" integer[], "first_ats" timestamp with time zone[], "last_ats" timestamp with time zone[]) RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  -- Processes report the same keys in different orders. One at a time, they cannot deadlock, and they see each other's addresses.
  perform pg_advisory_xact_lock(hashtext('record_key_activity'));

  insert into key_activity as a (key_no, day, address, requests, first_at, last_at)
  select key_no, day, place, sum(requests), min(first_at), max(last_at)
  from (
    select g.key_no, g.day, g.requests, g.first_at, g.last_at,
           case when g.is_known or g.known_addresses + row_number() over (
                  partition by g.key_no, g.day, g.is_known order by g.address
                ) <= 50 then g.address else 'other' end as place
    from (
      select u.*, exists (
               select from key_activity k where k.key_no = u.key_no and k.day = u.day and k.address = u.address
             ) as is_known,
             (select count(*) from key_activity k where k.key_no = u.key_no and k.day = u.day) as known_addresses
      from (
        select t.key_no, (least(t.last_at, now()) at time zone 'UTC')::date as day, t.address, sum(t.requests) as requests,
               min(least(t.first_at, now())) as first_at, max(least(t.last_at, now())) as last_at
        from unnest(key_nos, addresses, request_counts, first_ats, last_ats) as t (key_no, address, requests, first_at, last_at)
        join api_keys k on k.no = t.key_no
        group by 1, 2, 3
      ) as u
    ) as g
  ) as placed
  group by key_no, day, place
  on conflict (key_no, day, address) do update
  set requests = a.requests + excluded.requests, first_at = least(a.first_at, excluded.first_at),
      last_at = greatest(a.last_at, excluded.last_at);
end
$$;

--
-- Name: record_key_use(integer[], timestamp with time zone[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_key_use"("key_nos" integer[], "used_ats" timestamp with time zone[]) RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  -- Processes report the same keys in different orders. One at a time, they cannot deadlock.
  perform pg_advisory_xact_lock(hashtext('record_key_use'));

  with used as (
    update api_keys k set last_used_at = u.used_at
    from (select key_no, least(used_at, now()) as used_at from unnest(key_nos, used_ats) as t (key_no, used_at)) u
    where k.no = u.key_no and k.revoked_at is null and (k.last_used_at is null or k.last_used_at < u.used_at)
    returning k.customer_no, date_trunc('minute', u.used_at) as seen_at
  ), seen as (
    select customer_no, max(seen_at) as seen_at from used where customer_no is not null group by customer_no
  )
  update customers c set last_seen_at = seen.seen_at
  from seen
  where c.no = seen.customer_no and c.deleted_at is null
    and (c.last_seen_at is null or c.last_seen_at < seen.seen_at);
end
$$;

--
-- Name: record_moved_assignments(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_moved_assignments"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  moved int[];
begin
  select array_agg(o.no) into moved
  from old_rows o join new_rows n using (no)
  where o.assigned_device_id is distinct from n.assigned_device_id;

  if moved is not null then
    -- An assignment that was opened in this same millisecond would end where it begins. It has no reading yet.
    delete from device_assignments where tank_no = any (moved) and to_at = 'infinity' and from_at >= now()::timestamptz(3);
    update device_assignments set to_at = now() where tank_no = any (moved) and to_at = 'infinity';
    perform open_assignments(array_agg(organization_no), array_agg(assigned_device_id), array_agg(no))
    from new_rows where no = any (moved) and assigned_device_id is not null;
  end if;
  return null;
end
$$;

--
-- Name: record_new_assignments(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_new_assignments"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  perform open_assignments(array_agg(organization_no), array_agg(assigned_device_id), array_agg(no))
  from new_rows where assigned_device_id is not null;
  return null;
end
$$;

--
-- Name: record_removal(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_removal"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  changed jsonb := to_jsonb(new);
begin
  insert into removals (kind, organization, object, ended_at, generation)
  select tg_argv[0], code, changed ->> tg_argv[1],
         case tg_argv[0]
           when 'key' then least((changed ->> 'revoked_at')::timestamptz, (changed ->> 'expires_at')::timestamptz)
           when 'device' then (changed ->> 'revoked_at')::timestamptz
           when 'webhook' then (changed ->> 'disabled_at')::timestamptz
           when 'console' then case when not (changed ->> 'has_console')::boolean then now() end
           else (changed ->> 'deleted_at')::timestamptz
         end,
         (changed ->> 'generation')::int
  -- Of a deleted organization, one record is enough.
  from organizations where no = new.organization_no and deleted_at is null;
  return null;
end
$$;

--
-- Name: record_session_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_session_change"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
begin
  new.changed_xid := pg_current_xact_id();
  new.expires_at := least(new.expires_at, new.ended_at);
  return new;
end
$$;

--
-- Name: record_session_use("text"[], timestamp with time zone[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_session_use"("used_prefixes" "text"[], "used_ats" timestamp with time zone[]) RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  -- The lock of record_key_use, which also changes customers: they run one at a time and cannot deadlock.
  perform pg_advisory_xact_lock(hashtext('record_key_use'));

  update sessions s set expires_at = used.extended_to
  from (
    select o.no,
           least(session_expiry(o.created_at, least(u.used_at, now()), is_owner), k.expires_at, o.latest_end) as extended_to,
           case when is_owner then interval '7 hours' else interval '7 minutes' end as least_gain
    from unnest(used_prefixes, used_ats) as u (prefix, used_at)
    join sessions o using (prefix)
    left join api_keys k on k.no = o.key_no
    cross join lateral (select coalesce(o.key_no, o.contact_no) is null as is_owner) as kind
    where o.ended_at is null and o.expires_at > now() and k.revoked_at is null
  ) as used
  where s.no = used.no and used.extended_to > s.expires_at + used.least_gain;

  update customers c set last_seen_at = date_trunc('minute', seen.at)
  from (
    select customer_no, max(least(used_at, now())) as at
    from unnest(used_prefixes, used_ats) as u (prefix, used_at) join sessions using (prefix)
    where coalesce(key_no, contact_no) is null group by customer_no
  ) as seen
  where c.no = seen.customer_no and c.deleted_at is null
    and (c.last_seen_at is null or c.last_seen_at < date_trunc('minute', seen.at));

  update contacts c set last_seen_at = date_trunc('minute', seen.at)
  from (
    select contact_no, max(least(used_at, now())) as at
    from unnest(used_prefixes, used_ats) as u (prefix, used_at) join sessions using (prefix)
    where contact_no is not null group by contact_no
  ) as seen
  where c.no = seen.contact_no and c.deleted_at is null
    and (c.last_seen_at is null or c.last_seen_at < date_trunc('minute', seen.at));
end
$$;

--
-- Name: record_settings_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_settings_change"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  -- If there are two changes in one millisecond, the first has the settings that were in effect before.
  insert into tank_settings_history (
    tank_no, at, min_fill_alert_percentage, capacity, capacity_unit, is_batch_tank, report_interval_hours, is_mobile,
    order_threshold_percentage
  )
  select o.no, now(), o.min_fill_alert_percentage, o.capacity, o.capacity_unit, o.is_batch_tank, o.report_interval_hours, o.is_mobile,
         o.order_threshold_percentage
  from old_rows o join new_rows n using (no)
  where (o.min_fill_alert_percentage, o.capacity, o.capacity_unit, o.is_batch_tank, o.report_interval_hours, o.is_mobile,
         o.order_threshold_percentage)
    is distinct from (n.min_fill_alert_percentage, n.capacity, n.capacity_unit, n.is_batch_tank, n.report_interval_hours, n.is_mobile,
                         n.order_threshold_percentage)
  order by o.no
  on conflict do nothing;

  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select n.no, n.organization_no, now(), now()
  from old_rows o join new_rows n using (no)
  where (o.min_fill_alert_percentage, o.capacity, o.capacity_unit, o.is_batch_tank, o.report_interval_hours, o.is_mobile,
         o.order_threshold_percentage)
    is distinct from (n.min_fill_alert_percentage, n.capacity, n.capacity_unit, n.is_batch_tank, n.report_interval_hours, n.is_mobile,
                         n.order_threshold_percentage)
    and exists (select from tank_states s where s.tank_no = n.no)
  order by n.no
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  return null;
end
$$;

--
-- Name: record_text_report("uuid", "uuid", "text", boolean, "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_text_report"("channel" "uuid", "reference" "uuid", "id_of_provider" "text", "is_delivered" boolean, "reason" "text") RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  if reference is null then
    select t.id into reference from texts t join text_channels c on c.id = channel and c.organization_no = t.organization_no
    where t.provider_id = id_of_provider and t.created_at > now() - interval '7 days'
    order by t.no desc limit 1;
  end if;
  update texts t
  set status = case when is_delivered then 'delivered' else 'failed' end, finished_at = now(), asked_at = null,
      error = case when is_delivered then null else left(reason, 200) end,
      sent_at = coalesce(t.sent_at, now()), provider_id = coalesce(t.provider_id, id_of_provider)
  from text_channels c
  where c.id = channel and t.organization_no = c.organization_no and t.status in ('waiting', 'sent') and t.id = reference;
  return found;
end
$$;

--
-- Name: record_unsubscribe(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_unsubscribe"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into removals (kind, organization, object, ended_at)
  select 'unsubscribe', o.code, c.id, new.at
  from customers c join organizations o on o.no = c.organization_no where c.no = new.customer_no;
  return null;
end
$$;

--
-- Name: record_webhook_test(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_webhook_test"("of_endpoint" integer) RETURNS "void"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  select current_actor(), organization_no, 'webhook', 'update', array['last_test'], array[no]
  from webhook_endpoints where no = of_endpoint
$$;

--
-- Name: record_work_event(integer, "text", "jsonb"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."record_work_event"("in_tank_no" integer, "in_type" "text", "in_data" "jsonb") RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  at timestamptz(3) := now();
  event_no bigint;
  tank record;
begin
  if in_type not in ('tank.acknowledged', 'tank.acknowledgement_ended', 'tank.muted', 'tank.unmuted') then
    raise exception 'events of the type % are recorded by evaluation only', in_type;
  end if;
  select id, organization_no into tank from tanks where no = in_tank_no and deleted_at is null;
  if tank.id is null then
    return;
  end if;
  loop
    insert into events (id, organization_no, tank_no, type, occurred_at, data, readings, notify)
    values (derive_event_id(tank.id, in_type, at), tank.organization_no, in_tank_no, in_type, at, in_data, '[]', true)
    on conflict do nothing returning no into event_no;
    exit when event_no is not null;
    at := at + interval '1 millisecond';
  end loop;
  perform enqueue_events(array[event_no]);
end
$$;

--
-- Name: recount_search_words(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."recount_search_words"("in_organization_no" integer) RETURNS "void"
    LANGUAGE "plpgsql"
    AS $$
begin
  perform lock_organization(in_organization_no);
  delete from search_words where organization_no = in_organization_no;
  perform count_search_words(array_agg(organization_no), array_agg(name), array_agg(1))
  from customers where organization_no = in_organization_no and deleted_at is null;
  perform count_search_words(array_agg(organization_no), array_agg(words_of_tank(t)), array_agg(1))
  from tanks t where organization_no = in_organization_no and deleted_at is null;
end
$$;

--
-- Name: redeem_sign_in(bigint, "bytea"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."redeem_sign_in"("sign_in_no" bigint, "new_browser_sha256" "bytea") RETURNS "text"
    LANGUAGE "plpgsql"
    AS $$
declare
  redeemed sign_ins;
begin
  -- A change of the address deletes its sign-ins, and can be part of an import that takes long.
  perform set_config('lock_timeout', '2s', true);
  update sign_ins set redeemed_at = now(), chosen_at = now()
  where no = sign_in_no and redeemed_at is null and expires_at > now()
  returning * into redeemed;
  if redeemed.no is null then
    return null;
  end if;
  insert into sign_ins (address, browser_sha256, return_to, redeemed_at, kind, contact_no)
  values (redeemed.address, new_browser_sha256, redeemed.return_to, now(), 'choice', redeemed.contact_no);
  update sign_ins set expires_at = now()
  where address = redeemed.address and redeemed_at is null and expires_at > now();
  return redeemed.return_to;
end
$$;

--
-- Name: redeem_sign_in_code("bytea", "bytea", "bytea"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."redeem_sign_in_code"("of_browser_sha256" "bytea", "of_code_sha256" "bytea", "new_browser_sha256" "bytea", OUT "outcome" "text", OUT "codes_left" integer) RETURNS "record"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  asked sign_ins;
begin
  perform set_config('lock_timeout', '2s', true);  -- as in redeem_sign_in
  select * into asked from sign_ins
  where browser_sha256 = of_browser_sha256 and kind <> 'choice' and created_at > now() - interval '15 minutes'
  order by kind = 'mail' desc, no desc limit 1
  for update;
  if asked.no is null or asked.wrong_codes >= 5 then
    outcome := 'none';
    return;
  end if;
  if (select sum(wrong_codes) from sign_ins where address = asked.address and created_at > now() - interval '1 day') >= 20 then
    outcome := 'blocked';
    return;
  end if;
  if asked.redeemed_at is null and asked.expires_at > now()
    and asked.code_sha256 = sha256(asked.browser_sha256 || of_code_sha256) then
    perform redeem_sign_in(asked.no, new_browser_sha256);
    outcome := 'redeemed';
    return;
  end if;
  update sign_ins set wrong_codes = wrong_codes + 1 where no = asked.no;
  outcome := 'wrong';
  codes_left := 4 - asked.wrong_codes;
end
$$;

--
-- Name: redeem_sign_in_link("bytea", "bytea"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."redeem_sign_in_link"("of_link_sha256" "bytea", "new_browser_sha256" "bytea") RETURNS "text"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select redeem_sign_in(no, new_browser_sha256) from sign_ins where link_sha256 = of_link_sha256
$$;

--
-- Name: reevaluate_before_notes(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."reevaluate_before_notes"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  update reevaluations r set settings_from = least(r.settings_from, s.said_at)
  from new_rows n join round_stops s on s.tank_no = n.tank_no and s.said_litres > 0
    and s.said_at between n.at - interval '36 hours' and n.at + interval '36 hours'
  where r.tank_no = n.tank_no and exists (select from estimated_tanks e where e.tank_no = n.tank_no);
  return null;
end
$$;

--
-- Name: release_notifications(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."release_notifications"() RETURNS timestamp with time zone
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  ended notification_holds;
begin
  update notification_holds set released_at = now(), released_by = current_actor() where released_at is null
  returning * into ended;
  if ended.no is null then
    return null;
  end if;
  update webhook_deliveries d set next_attempt_at = now() - make_interval(secs => waiting.after_it / 1000.0)
  from (
    select no, row_number() over (partition by endpoint_no order by event_no desc, no desc) as after_it
    -- A lease without a result belongs to a worker that was killed: nobody sends while notifications are held.
    from webhook_deliveries where status = 'pending' and (next_attempt_at <= now() or tries = 0)
  ) as waiting
  where d.no = waiting.no;
  update webhook_endpoints set failing_since = failing_since + (now() - greatest(ended.held_at, failing_since))
  where failing_since is not null and disabled_at is null;
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  values (current_actor(), null, 'notification hold', 'update', '{released_at}', '{}');
  return ended.held_at;
end
$$;

--
-- Name: remove_push_subscription(integer, "uuid"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."remove_push_subscription"("of_contact" integer, "of_id" "uuid") RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  delete from push_subscriptions where contact_no = of_contact and id = of_id;
  return found;
end
$$;

--
-- Name: report_driver_entry("public"."driver_entries", timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."report_driver_entry"("entry" "public"."driver_entries", "happened" timestamp with time zone) RETURNS "void"
    LANGUAGE "plpgsql"
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  is_report boolean := entry.kind <> 'reopened';
begin
  update round_stops
  set said = case when is_report then entry.kind end,
      said_reason = entry.reason,
      said_litres = entry.volume * case entry.volume_unit when 'gallons' then 3.785411784 else 1 end,
      said_at = case when is_report then happened end,
      said_as = case when is_report then case when entry.recorded_by is null then 'driver' else 'person' end end,
      said_by = case when is_report then current_actor() end,
      said_filled_to = entry.filled_to,
      said_entry_no = case when is_report then entry.no end
  where round_no = entry.round_no and (tank_no = entry.tank_no or (tank_no is null and number = entry.stop_number));
exception when unique_violation then
  null;  -- taken back, and another round has the tank now: the stop stays closed here
end
$$;

--
-- Name: request_sign_in("text", "bytea", "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."request_sign_in"("of_address" "text", "of_browser_sha256" "bytea", "in_return_to" "text") RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  folded text := lower(of_address collate "C");
  is_mailed boolean;
  new_no bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('sign_in ' || folded, 0));
  select count(*) < 10 and count(*) filter (where created_at > now() - interval '15 minutes') < 3 into is_mailed
  from sign_ins where address = folded and kind = 'mail' and created_at > now() - interval '1 day';
  -- A browser that has a request for this address keeps it: the code of its mail is still valid.
  if not is_mailed and exists (
    select from sign_ins
    where browser_sha256 = of_browser_sha256 and address = folded and kind <> 'choice' and created_at > now() - interval '15 minutes'
  ) then
    return;
  end if;
  insert into sign_ins (address, browser_sha256, return_to, kind)
  values (folded, of_browser_sha256, in_return_to, case when is_mailed then 'mail' else 'unmailed' end)
  returning no into new_no;
  if is_mailed then
    -- A person waits for it, so it is sent before other mails.
    perform graphile_worker.add_job('mail_sign_in', json_build_object('sign_in_no', new_no), max_attempts => 5, priority => -5);
  end if;
end
$$;

--
-- Name: resubscribe_customer("uuid"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."resubscribe_customer"("customer_id" "uuid") RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  delete from reminder_unsubscribes where customer_no = (select no from customers where id = customer_id and deleted_at is null);
  if found then
    insert into removals (kind, organization, object, ended_at)
    select 'unsubscribe', o.code, c.id, null
    from customers c join organizations o on o.no = c.organization_no where c.id = customer_id;
  end if;
  return exists (select from customers where id = customer_id and deleted_at is null);
end
$$;

--
-- Name: rotate_webhook_secret(integer, "text", integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."rotate_webhook_secret"("in_endpoint_no" integer, "in_sealed_secret" "text", "in_overlap_hours" integer) RETURNS "void"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  update webhook_endpoints set secret = in_sealed_secret,
    previous_secret = case when in_overlap_hours > 0 then secret end,
    previous_secret_until = case when in_overlap_hours > 0 then now() + make_interval(hours => in_overlap_hours) end
  where no = in_endpoint_no
$$;

--
-- Name: search_text("text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."search_text"("given" "text") RETURNS "text"
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $_$
  select translate(
    lower(given),
    E' eaoirnstlcdu0123456789mphbgfvyzjqkwx,;\t\n\ráàâäãåéèêëíìîïóòôöõúùûüñç-.:()/+''"#*&@|_%\\!?[]{}<>=$^`~‐‑–—‘’“”´·°«»¡¿…',
    ' eaoirnstlcdu0123456789mphbgfvyzjqkwx     aaaaaaeeeeiiiiooooouuuunc')
$_$;

--
-- Name: sequence_use(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."sequence_use"() RETURNS TABLE("name" "text", "used_share" double precision)
    LANGUAGE "sql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
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

--
-- Name: series_buckets(timestamp with time zone, interval, integer, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."series_buckets"("series_from" timestamp with time zone, "bucket_width" interval, "buckets" integer, "range_from" timestamp with time zone, "range_to" timestamp with time zone) RETURNS TABLE("bucket" integer, "from_at" timestamp with time zone, "to_at" timestamp with time zone)
    LANGUAGE "sql" IMMUTABLE ROWS 100
    AS $$
  select b, greatest(range_from, series_from + b * bucket_width), least(range_to, series_from + (b + 1) * bucket_width)
  from generate_series(
    greatest(0, (date_part('epoch', range_from - series_from) / date_part('epoch', bucket_width))::int - 1),
    least(buckets - 1, (date_part('epoch', range_to - series_from) / date_part('epoch', bucket_width))::int + 1)
  ) as b
  where greatest(range_from, series_from + b * bucket_width) < least(range_to, series_from + (b + 1) * bucket_width)
$$;

--
-- Name: session_expiry(timestamp with time zone, timestamp with time zone, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."session_expiry"("created_at" timestamp with time zone, "used_at" timestamp with time zone, "is_owner" boolean) RETURNS timestamp with time zone
    LANGUAGE "sql" IMMUTABLE
    AS $$
  select case when is_owner then least(used_at + interval '30 days', created_at + interval '180 days')
              else least(used_at + interval '72 hours', created_at + interval '7 days') end
$$;

--
-- Name: set_change_number(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."set_change_number"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  new.change_number := next_change_number();
  return new;
end
$$;

--
-- Name: set_route_tag(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."set_route_tag"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  new.route_tag := unused_route_tag(left(new.code, 2));
  return new;
end
$$;

--
-- Name: set_settings_changed_at(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."set_settings_changed_at"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
begin
  new.settings_changed_at := now();
  return new;
end
$$;

--
-- Name: set_stop_openness(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."set_stop_openness"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  select r.date, r.state in ('planned', 'under_way') and new.said is null into new.round_date, new.is_open
  from rounds r where r.no = new.round_no;
  return new;
end
$$;

--
-- Name: set_updated_at(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."set_updated_at"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
begin
  new.updated_at := now();
  return new;
end
$$;

--
-- Name: sign_in_choices("bytea"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."sign_in_choices"("of_browser_sha256" "bytea") RETURNS TABLE("id" "uuid", "slot" "text", "organization_name" "text", "customer_name" "text")
    LANGUAGE "sql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select i.id, key_beginning(o.no), o.name, i.customer_name
  from sign_ins s join sign_in_identities i using (address) join organizations o on o.no = i.organization_no
  where s.browser_sha256 = of_browser_sha256 and s.redeemed_at > now() - interval '15 minutes' and s.chosen_at is null
    and o.deleted_at is null
    -- An invitation signs in to the organization that sent it, and to no other with the same address.
    and (s.contact_no is null or s.contact_no = i.contact_no)
  order by i.customer_name is not null, o.name, i.customer_name, i.id
$$;

--
-- Name: sign_in_of_link("bytea"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."sign_in_of_link"("of_link_sha256" "bytea") RETURNS TABLE("organization_name" "text", "language" "text")
    LANGUAGE "sql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select distinct o.name, coalesce(c.language || substr(o.language, 3), o.language)
  from sign_ins s join sign_in_identities i using (address) join organizations o on o.no = i.organization_no
    left join contacts c on c.no = i.contact_no
  where s.link_sha256 = of_link_sha256 and s.redeemed_at is null and s.expires_at > now() and o.deleted_at is null
    and (s.contact_no is null or s.contact_no = i.contact_no)
  order by o.name
$$;

--
-- Name: sign_in_with_issuer("uuid", "text", "text", boolean, "text", "text"[], boolean, "text", "bytea", "uuid", "text", "bytea", integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."sign_in_with_issuer"("of_issuer" "uuid", "of_subject" "text", "of_email" "text", "is_email_verified" boolean, "of_name" "text", "given_roles" "text"[], "is_link" boolean, "current_prefix" "text", "current_sha256" "bytea", "new_contact_id" "uuid", "new_prefix" "text", "new_secret_sha256" "bytea", "session_minutes" integer) RETURNS "text"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  issuer issuers;
  person contacts;
  address text := lower(of_email collate "C");
  is_new boolean;
  linking_no int;
begin
  perform set_config('lock_timeout', '2s', true);  -- an import can hold the lock of the organization for long
  -- A removal of the issuer at the same time either sees the new session, or is seen here.
  select i.* into issuer from issuers i join organizations o on o.no = i.organization_no
  where i.id = of_issuer and i.deleted_at is null and o.deleted_at is null for share of i;
  if issuer.no is null then
    return 'no_issuer';
  end if;
  perform set_config('tankwatch.actor', 'issuer ' || issuer.url, true);
  -- Two first sign-ins of one person at the same time make one contact.
  perform pg_advisory_xact_lock(hashtextextended(format('identity %s %s', issuer.no, of_subject), 0));

  select c.* into person from identities i join contacts c on c.no = i.contact_no
  where i.issuer_no = issuer.no and i.subject = of_subject for no key update of c;
  is_new := person.no is null;
  if is_link then
    select s.contact_no into linking_no from sessions s
    where s.prefix = current_prefix and s.secret_sha256 = current_sha256 and s.ended_at is null and s.expires_at > now();
    if is_new then
      select c.* into person from contacts c
      where c.no = linking_no and c.organization_no = issuer.organization_no and c.deleted_at is null
        and not exists (select from identities i where i.issuer_no = issuer.no and i.contact_no = c.no)
      for no key update;
    end if;
    if person.no is null or person.no is distinct from linking_no then
      return 'not_linked';  -- the session has ended, its contact has another identity there, or this person is another contact
    end if;
  elsif is_new and is_email_verified and split_part(address, '@', 2) = any (issuer.domains) then
    -- Without any identity: another issuer may have created the contact for an address that it did not verify.
    select c.* into person from contacts c
    where c.organization_no = issuer.organization_no and c.deleted_at is null and lower(c.email collate "C") = address
      and not exists (select from identities i where i.contact_no = c.no)
    order by c.email = of_email desc, c.no limit 1 for no key update;
  end if;
  if is_new and coalesce(given_roles, person.roles) = '{}' then
    return 'no_role';
  end if;
  if person.no is null then
    if given_roles is null then
      return 'unknown';
    end if;
    if of_email is null then
      return 'no_address';
    end if;
    if exists (
      select from contacts
      where organization_no = issuer.organization_no and deleted_at is null and lower(email collate "C") = address
    ) then
      return 'address_taken';
    end if;
    insert into contacts (id, organization_no, email, name, types, roles)
    values (new_contact_id, issuer.organization_no, of_email, of_name, '{}', given_roles) returning * into person;
  elsif given_roles is not null and person.roles <> given_roles then
    update contacts set roles = given_roles where no = person.no returning * into person;
  end if;
  if person.roles = '{}' then
    return 'no_role';
  end if;

  if is_new then
    insert into identities (issuer_no, subject, contact_no) values (issuer.no, of_subject, person.no);
    insert into audit_log (actor, organization_no, object, action, fields, object_nos)
    values (current_actor(), issuer.organization_no, 'contact', 'update', '{identity}', array[person.no]);
    -- From now on a removal at the issuer counts: sessions by mail, and notifications in their browsers, last longer.
    update sessions set ended_at = now() where contact_no = person.no and issuer_no is null and ended_at is null;
    delete from push_subscriptions where contact_no = person.no and issuer_no is null;
  end if;
  insert into sessions (prefix, secret_sha256, contact_no, organization_no, requests_per_second, burst, issuer_no, expires_at,
                        latest_end)
  select new_prefix, new_secret_sha256, person.no, person.organization_no, 50, 500, issuer.no, ends_at, ends_at
  from (select now() + make_interval(mins => least(session_minutes, 1440)) as ends_at) as session;
  -- The cookie of the browser is replaced. Somebody who signs in again and again keeps the newest sessions.
  update sessions set ended_at = now()
  where ended_at is null and (
    prefix = current_prefix and secret_sha256 = current_sha256
    or no in (select no from sessions where key_no is null and contact_no = person.no order by no desc offset 20)
  );
  return 'signed_in';
end
$$;

--
-- Name: split_bucket_items(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."split_bucket_items"() RETURNS integer
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $$ select 1500 $$;

--
-- Name: split_catalog_bucket("public"."catalog_list", integer, timestamp with time zone, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."split_catalog_bucket"("in_list" "public"."catalog_list", "in_scope_no" integer, "at" timestamp with time zone, "at_no" integer) RETURNS "void"
    LANGUAGE "plpgsql"
    AS $_$
declare
  next_at timestamptz;
  next_no int;
begin
  select starts_at, starts_no into next_at, next_no from catalog_buckets
  where list = in_list and scope_no = in_scope_no
    and (starts_at, starts_no) > (at, at_no) and starts_at < next_utc_month(at)
  order by starts_at, starts_no limit 1;

  execute format($sql$
    insert into catalog_buckets (list, scope_no, starts_at, starts_no, n)
    select $1, $2,
           case bucket when 0 then $3 else (array_agg(created_at order by rank))[1] end,
           case bucket when 0 then $4 else (array_agg(no order by rank))[1] end,
           count(*)
    from (
      select created_at, no, rank, rank / split_bucket_items() as bucket
      from (
        select created_at, no, row_number() over (order by created_at, no) - 1 as rank
        from %I
        where %I = $2 and deleted_at is null
          and (created_at, no) >= ($3, $4) and (created_at, no) < ($5, $6)
      ) as ranked
    ) as split
    group by bucket
    on conflict (list, scope_no, starts_at, starts_no) do update set n = excluded.n
  $sql$, catalog_table(in_list), catalog_scope_column(in_list))
  using in_list, in_scope_no, at, at_no, coalesce(next_at, next_utc_month(at)), coalesce(next_no, 0);
end
$_$;

--
-- Name: split_telemetry_bucket(integer, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."split_telemetry_bucket"("in_tank_no" integer, "at" timestamp with time zone) RETURNS "void"
    LANGUAGE "plpgsql"
    AS $$
declare
  next_at timestamptz;
begin
  select coalesce(min(starts_at), next_utc_month(at)) into next_at
  from telemetry_buckets where tank_no = in_tank_no and starts_at > at and starts_at < next_utc_month(at);

  insert into telemetry_buckets (tank_no, starts_at, n)
  select in_tank_no, case bucket when 0 then at else min(created_at) end, count(*)
  from (
    select created_at, (row_number() over (order by created_at) - 1) / split_bucket_items() as bucket
    from telemetry where tank_no = in_tank_no and created_at >= at and created_at < next_at
  ) as split
  group by bucket
  on conflict (tank_no, starts_at) do update set n = excluded.n;
end
$$;

--
-- Name: store_dip_of_entry("public"."driver_entries", timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."store_dip_of_entry"("entry" "public"."driver_entries", "happened" timestamp with time zone) RETURNS "void"
    LANGUAGE "sql"
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
  select e.organization_no, e.tank_no, happened, entry.filled_to
  from estimated_tanks e
  where e.tank_no = entry.tank_no and e.manual_to = 'infinity' and entry.filled_to is not null
    and happened between e.manual_from and now() and happened >= '2000-01-01T00:00:00Z' and entry.note_number is null
$$;

--
-- Name: store_note_of_entry("public"."driver_entries", timestamp with time zone, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."store_note_of_entry"("entry" "public"."driver_entries", "happened" timestamp with time zone, "is_newest" boolean) RETURNS "void"
    LANGUAGE "sql"
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  -- What people said about the cancelled note was about another delivery.
  delete from note_pins p using delivery_notes n
  where n.organization_no = entry.organization_no and n.series = entry.note_series and n.number = entry.note_number and p.note_no = n.no
    and n.source = 'driver' and n.is_cancelled and n.tank_no is distinct from entry.tank_no and is_newest;

  insert into delivery_notes as n (id, organization_no, series, number, customer_no, tank_no, truck_no, driver_no, at, precision,
                                   volume, unit, filled_to, is_cancelled, source)
  select gen_random_uuid(), r.organization_no, entry.note_series, entry.note_number, t.owner_no, t.no, r.truck_no, r.driver_no,
         happened, 'minute', entry.volume, entry.volume_unit, entry.filled_to, false, 'driver'
  from tanks t, rounds r where t.no = entry.tank_no and r.no = entry.round_no and entry.note_number is not null and is_newest
  on conflict (organization_no, series, number) do update
  set customer_no = excluded.customer_no, tank_no = excluded.tank_no, truck_no = excluded.truck_no, driver_no = excluded.driver_no,
      volume = excluded.volume, unit = excluded.unit, at = excluded.at, filled_to = excluded.filled_to, is_cancelled = false
  where n.source = 'driver' and case when n.tank_no = excluded.tank_no
    then is_note_of_round(entry.round_no, entry.tank_no, entry.note_series, entry.note_number) else n.is_cancelled end
$$;

--
-- Name: store_push_subscription("text", "text", "bytea", "bytea", "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."store_push_subscription"("of_prefix" "text", "new_endpoint" "text", "new_p256dh" "bytea", "new_auth" "bytea", "new_name" "text") RETURNS "uuid"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  holder sessions;
  stored push_subscriptions;
begin
  -- What ends the session or the access at the same time either sees the new browser and removes it, or is seen here. An import can
  -- hold these locks for long. The contact is first, as in its trigger.
  perform set_config('lock_timeout', '2s', true);
  perform from contacts c join sessions n on n.contact_no = c.no where n.prefix = of_prefix for share of c;
  select * into holder from sessions
  where prefix = of_prefix and contact_no is not null and ended_at is null and expires_at > now() for share;
  if not found then
    return null;
  end if;
  insert into push_subscriptions as s (organization_no, contact_no, session_prefix, issuer_no, endpoint, p256dh, auth, name)
  values (holder.organization_no, holder.contact_no, of_prefix, holder.issuer_no, new_endpoint, new_p256dh, new_auth, new_name)
  on conflict (endpoint) do update
  set organization_no = excluded.organization_no, contact_no = excluded.contact_no, session_prefix = excluded.session_prefix,
      issuer_no = excluded.issuer_no, proven_at = now(), p256dh = excluded.p256dh, name = excluded.name
  where s.auth = excluded.auth
  returning * into stored;
  if not found then
    raise unique_violation using message = 'another browser has this address';
  end if;
  delete from push_subscriptions where no in (
    select no from push_subscriptions where contact_no = stored.contact_no and no <> stored.no order by no desc offset 9
  );
  return stored.id;
end
$$;

--
-- Name: store_temperatures(integer, "jsonb"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."store_temperatures"("organization" integer, "temperatures" "jsonb") RETURNS integer
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  max_places constant int := 5000;
  stored int;
begin
  -- One at a time in an organization: two that create the same place would wait for each other in a circle.
  perform pg_advisory_xact_lock(hashtext('tankwatch weather'), organization);
  -- Update first, insert what is missing: an insert that finds its row takes a number of the identity all the same.
  update places p
  set postal_code = coalesce(g.postal_code, p.postal_code), latitude = coalesce(g.latitude, p.latitude),
      longitude = coalesce(g.longitude, p.longitude), matched_at = null
  from (
    select distinct on (place) * from jsonb_to_recordset(temperatures)
      as g (place text, postal_code text, latitude float8, longitude float8)
  ) as g
  where p.organization_no = organization and p.name = g.place
    and (coalesce(g.postal_code, p.postal_code), coalesce(g.latitude, p.latitude), coalesce(g.longitude, p.longitude))
      is distinct from (p.postal_code, p.latitude, p.longitude);
  insert into places (organization_no, name, postal_code, latitude, longitude)
  select distinct on (place) organization, place, postal_code, latitude, longitude
  from jsonb_to_recordset(temperatures) as g (place text, postal_code text, latitude float8, longitude float8)
  where not exists (select from places p where p.organization_no = organization and p.name = g.place);
  if found and (select count(*) from places where organization_no = organization) > max_places then
    raise exception 'an organization may have at most % places with weather', max_places using errcode = 'program_limit_exceeded';
  end if;
  with changed as (
    insert into place_temperatures as t (place_no, kind, on_date, issued_at, mean_c, source)
    select distinct on (p.no, g.kind, g.date, g.issued_at) p.no, g.kind, g.date, g.issued_at, g.mean_c, g.source
    from rows from (
      jsonb_to_recordset(temperatures)
        as (place text, kind text, date date, issued_at timestamptz, mean_c real, source text)
    ) with ordinality as g (place, kind, date, issued_at, mean_c, source, position)
    join places p on p.organization_no = organization and p.name = g.place
    order by p.no, g.kind, g.date, g.issued_at, g.position desc
    on conflict (place_no, kind, on_date, issued_at) do update set mean_c = excluded.mean_c, source = excluded.source
    where (t.mean_c, t.source) is distinct from (excluded.mean_c, excluded.source)
    returning t.place_no
  ), marked as (
    update places set changed_at = clock_timestamp() where no in (select place_no from changed)
  )
  select count(*) into stored from changed;
  return stored;
end
$$;

--
-- Name: customers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."customers" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "external_key" "text",
    "email" "text",
    "name" "text",
    "phone" "text",
    "is_verified" boolean DEFAULT false NOT NULL,
    "verified_at" timestamp(3) with time zone,
    "last_seen_at" timestamp(3) with time zone,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "deleted_at" timestamp(3) with time zone,
    "change_number" bigint DEFAULT 0 NOT NULL,
    "phone_whose" "text",
    "is_phone_texted" boolean DEFAULT false NOT NULL,
    "other_phones" "jsonb",
    CONSTRAINT "customers_check" CHECK (("is_verified" OR ("verified_at" IS NULL))),
    CONSTRAINT "customers_email_check" CHECK ((("length"("email") >= 1) AND ("length"("email") <= 320))),
    CONSTRAINT "customers_external_key_check" CHECK (("external_key" <> ''::"text")),
    CONSTRAINT "customers_name_check" CHECK ((("length"("name") >= 1) AND ("length"("name") <= 500))),
    CONSTRAINT "customers_other_phones_check" CHECK (("jsonb_typeof"("other_phones") = 'array'::"text")),
    CONSTRAINT "customers_phone_check" CHECK ((("length"("phone") >= 1) AND ("length"("phone") <= 50))),
    CONSTRAINT "customers_phone_whose_check" CHECK ((("length"("phone_whose") >= 1) AND ("length"("phone_whose") <= 100))),
    CONSTRAINT "deleted_customer_is_empty" CHECK ((("deleted_at" IS NULL) OR ((COALESCE("email", "name", "phone", "external_key") IS NULL) AND (COALESCE("verified_at", "last_seen_at") IS NULL)))),
    CONSTRAINT "live_customer_is_complete" CHECK ((("deleted_at" IS NOT NULL) OR (("email" IS NOT NULL) AND ("name" IS NOT NULL))))
);
ALTER TABLE ONLY "public"."customers" ALTER COLUMN "organization_no" SET (n_distinct=2);

--
-- Name: tanks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."tanks" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "owner_no" integer NOT NULL,
    "assigned_device_id" "text",
    "capacity" double precision NOT NULL,
    "capacity_unit" "text" NOT NULL,
    "custom_id" "text",
    "min_fill_alert_percentage" smallint NOT NULL,
    "name" "text",
    "use_case" "text",
    "city" "text",
    "country" "text",
    "district" "text",
    "latitude" double precision,
    "longitude" double precision,
    "postal_code" "text",
    "region" "text",
    "street" "text",
    "street_number" "text",
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "settings_changed_at" timestamp(3) with time zone,
    "deleted_at" timestamp(3) with time zone,
    "change_number" bigint DEFAULT 0 NOT NULL,
    "is_batch_tank" boolean DEFAULT false NOT NULL,
    "report_interval_hours" smallint,
    "is_mobile" boolean DEFAULT false NOT NULL,
    "product" "text",
    "fill_limit_percentage" smallint,
    "levels_changed_at" timestamp(3) with time zone,
    "order_threshold_percentage" smallint,
    "external_key" "text",
    CONSTRAINT "deleted_tank_is_empty" CHECK ((("deleted_at" IS NULL) OR ((COALESCE("assigned_device_id", "custom_id", "name", "use_case") IS NULL) AND (COALESCE("city", "country", "district", "postal_code", "region", "street", "street_number") IS NULL) AND (COALESCE("latitude", "longitude") IS NULL)))),
    CONSTRAINT "live_tank_is_complete" CHECK ((("deleted_at" IS NOT NULL) OR (("name" IS NOT NULL) AND ("assigned_device_id" IS NOT NULL)))),
    CONSTRAINT "tanks_assigned_device_id_check" CHECK ((("length"("assigned_device_id") >= 1) AND ("length"("assigned_device_id") <= 64))),
    CONSTRAINT "tanks_capacity_check" CHECK ((("capacity" > (0)::double precision) AND ("capacity" < 'Infinity'::double precision))),
    CONSTRAINT "tanks_capacity_unit_check" CHECK (("capacity_unit" = ANY (ARRAY['liters'::"text", 'gallons'::"text"]))),
    CONSTRAINT "tanks_custom_id_check" CHECK ((("length"("custom_id") >= 1) AND ("length"("custom_id") <= 200))),
    CONSTRAINT "tanks_latitude_check" CHECK ((("latitude" >= ('-90'::integer)::double precision) AND ("latitude" <= (90)::double precision))),
    CONSTRAINT "tanks_longitude_check" CHECK ((("longitude" >= ('-180'::integer)::double precision) AND ("longitude" <= (180)::double precision))),
    CONSTRAINT "tanks_min_fill_alert_percentage_check" CHECK ((("min_fill_alert_percentage" >= 0) AND ("min_fill_alert_percentage" <= 100))),
    CONSTRAINT "tanks_name_check" CHECK ((("length"("name") >= 1) AND ("length"("name") <= 500))),
    CONSTRAINT "tanks_use_case_check" CHECK (("use_case" = ANY (ARRAY['residential'::"text", 'commercial'::"text", 'industrial'::"text"])))
);
ALTER TABLE ONLY "public"."tanks" ALTER COLUMN "organization_no" SET (n_distinct=2);

--
-- Name: tank_text("public"."tanks", "public"."customers"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."tank_text"("t" "public"."tanks", "c" "public"."customers") RETURNS "text"
    LANGUAGE "sql" STABLE PARALLEL SAFE
    AS $$
  select ' ' || search_text(concat_ws(' ', t.name, t.custom_id, t.assigned_device_id, t.street, t.street_number, t.district,
                                      t.city, t.postal_code))
    || customer_text(c.name, c.email, c.phone, c.external_key) || coalesce(other_phone_texts(c.other_phones), '')
$$;

--
-- Name: telemetry_buckets_in_range(integer, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."telemetry_buckets_in_range"("in_tank_no" integer, "range_from" timestamp with time zone, "range_to" timestamp with time zone) RETURNS TABLE("from_at" timestamp with time zone, "to_at" timestamp with time zone, "n" integer)
    LANGUAGE "sql" STABLE
    AS $$
  select greatest(starts_at, range_from), least(ends_at, range_to),
         case when starts_at >= range_from and ends_at <= range_to then bucket.n
              else count_telemetry_items(in_tank_no, greatest(starts_at, range_from), least(ends_at, range_to)) end
  from (
    select starts_at::timestamptz, b.n, lead(starts_at, 1, next_utc_month(range_from)) over (order by starts_at) as ends_at
    from telemetry_buckets b
    where tank_no = in_tank_no and starts_at >= utc_month(range_from) and starts_at < next_utc_month(range_from)
  ) as bucket
  where ends_at > range_from and starts_at < range_to
$$;

--
-- Name: telemetry_page_start(integer, timestamp with time zone, timestamp with time zone, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."telemetry_page_start"("in_tank_no" integer, "range_from" timestamp with time zone, "range_to" timestamp with time zone, "skip" bigint) RETURNS timestamp with time zone
    LANGUAGE "plpgsql" STABLE
    AS $$
declare
  month record;
  bucket record;
begin
  if skip = 0 then
    return range_to;
  end if;
  select c.n, c.is_packed into month
  from telemetry_month_counters c where c.tank_no = in_tank_no and c.month = utc_month(range_from);
  select b.from_at, b.to_at, b.n, skip - b.newer as skip into bucket
  from (
    select c.*, sum(c.n) over (order by c.from_at desc) - c.n as newer
    from telemetry_buckets_in_range(in_tank_no, range_from, range_to) c
  ) as b
  where b.newer + b.n > skip
  order by b.newer limit 1;
  if not found then
    -- A month without buckets is one range. Its number of readings is known unless a filter cuts the month.
    select range_from as from_at, least(range_to, next_utc_month(range_from)) as to_at, skip,
           case when range_from = utc_month(range_from) and range_to >= next_utc_month(range_from) then month.n end as n
    into bucket;
  end if;
  if month.is_packed then
    return packed_page_start(in_tank_no, bucket.from_at, bucket.to_at, bucket.skip);
  end if;
  return plain_page_start(in_tank_no, bucket.from_at, bucket.to_at, bucket.n, bucket.skip);
end
$$;

--
-- Name: telemetry_partition(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."telemetry_partition"("at" timestamp with time zone) RETURNS "text"
    LANGUAGE "sql" IMMUTABLE
    AS $$
  select 'telemetry_' || to_char(at at time zone 'UTC', 'YYYY_MM')
$$;

--
-- Name: telemetry_series(integer, timestamp with time zone, interval, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."telemetry_series"("in_tank_no" integer, "from_at" timestamp with time zone, "bucket_width" interval, "buckets" integer) RETURNS TABLE("starts_at" timestamp with time zone, "n" integer, "first_fill" real, "lowest_fill" real, "highest_fill" real, "last_fill" real)
    LANGUAGE "sql" STABLE
    AS $$
  select from_at + bucket * bucket_width, sum(p.n)::int,
         (array_agg(p.first_fill order by p.piece_at))[1], min(p.lowest_fill), max(p.highest_fill),
         (array_agg(p.last_fill order by p.piece_at desc))[1]
  from (
    select * from plain_series_pieces(in_tank_no, from_at, bucket_width, buckets)
    union all
    select * from packed_series_pieces(in_tank_no, from_at, bucket_width, buckets)
  ) as p
  group by bucket order by bucket
$$;

--
-- Name: test_push(integer, "uuid"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."test_push"("of_contact" integer, "of_id" "uuid") RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  tested push_subscriptions;
  test_no bigint;
begin
  select * into tested from push_subscriptions where contact_no = of_contact and id = of_id for update;
  if not found then
    return null;
  end if;
  if (select count(*) from pushes where event_no is null and contact_no = of_contact and created_at > now() - interval '1 day') >= 10 then
    return false;
  end if;
  insert into pushes (organization_no, contact_no, subscription_no) values (tested.organization_no, of_contact, tested.no)
  returning no into test_no;
  insert into push_jobs (organization_no, task, key, payload)
  values (tested.organization_no, 'send_push', 'push:' || test_no, jsonb_build_object('push_no', test_no));
  return true;
end
$$;

--
-- Name: text_channel_of_report("uuid"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."text_channel_of_report"("channel" "uuid") RETURNS TABLE("provider" "text", "sealed_secret" "text")
    LANGUAGE "sql" STABLE SECURITY DEFINER ROWS 1
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select provider, sealed_secret from text_channels where id = channel and deleted_at is null
$$;

--
-- Name: time_of_driver_entry("public"."driver_entries"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."time_of_driver_entry"("entry" "public"."driver_entries") RETURNS timestamp with time zone
    LANGUAGE "sql" STABLE
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  -- received_at is rounded, perhaps up: a time in the future is no dip.
  select least(greatest(entry.at, r.day_begins_at - interval '2 days'), entry.received_at - interval '1 millisecond')
  from rounds r where r.no = entry.round_no
$$;

--
-- Name: touch_sessions_of_contact(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."touch_sessions_of_contact"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  update sessions set ended_at = ended_at where contact_no = new.no and ended_at is null;
  return null;
end
$$;

--
-- Name: unpack_tank_months(integer[], timestamp with time zone[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."unpack_tank_months"("tank_nos" integer[], "months" timestamp with time zone[]) RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    SET "enable_seqscan" TO 'off'
    AS $$
declare
  target record;
begin
  for target in
    select c.tank_no, c.month::timestamptz as starts_at, next_utc_month(c.month) as ends_at
    from unnest(tank_nos, months) as t (tank_no, month) join telemetry_month_counters c using (tank_no, month)
    where c.is_packed order by 1, 2
  loop
    insert into telemetry (tank_no, created_at, fill_percentage, gauge_value)
    select target.tank_no, r.created_at, r.fill_percentage, r.gauge_value
    from oldest_measures(target.tank_no, target.starts_at, target.ends_at, 2147483647) as r
    on conflict do nothing;
    delete from packed_telemetry
    where tank_no = target.tank_no and starts_at >= target.starts_at and starts_at < target.ends_at;
    update telemetry_month_counters set is_packed = false
    where tank_no = target.tank_no and month = target.starts_at;
  end loop;
end
$$;

--
-- Name: unpack_telemetry(timestamp with time zone, integer, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."unpack_telemetry"("in_month" timestamp with time zone, "after_tank_no" integer, "max_tanks" integer, OUT "last_tank_no" integer, OUT "unpacked" integer) RETURNS "record"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    SET "enable_seqscan" TO 'off'
    AS $$
declare
  tank_nos int[];
begin
  insert into packed_months (month, is_kept_plain) values (utc_month(in_month), true)
  on conflict (month) do update set is_kept_plain = true;
  tank_nos := array(
    select distinct p.tank_no from packed_telemetry p
    where p.starts_at >= utc_month(in_month) and p.starts_at < next_utc_month(in_month) and p.tank_no > after_tank_no
    order by p.tank_no limit max_tanks
  );
  perform from tank_states where tank_no = any (tank_nos) order by tank_no for no key update;
  perform unpack_tank_months(tank_nos, array_fill(utc_month(in_month), array[cardinality(tank_nos)]));
  unpacked := cardinality(tank_nos);
  last_tank_no := tank_nos[unpacked];
end
$$;

--
-- Name: unsubscribe_customer_of_link("uuid"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."unsubscribe_customer_of_link"("customer_id" "uuid") RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  insert into reminder_unsubscribes (customer_no)
  select no from customers where id = customer_id and deleted_at is null
  on conflict do nothing;
  return exists (select from customers where id = customer_id and deleted_at is null);
end
$$;

--
-- Name: unused_route_tag("text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."unused_route_tag"("slot" "text") RETURNS "text"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  tag text;
begin
  loop
    select string_agg(substr(case at when 1 then '01' else 'abcdefghijkmnpqrstuvwxyz23456789' end,
                             1 + floor(random() * case at when 1 then 2 else 32 end)::int, 1), '' order by at)
    into tag from generate_series(1, 4) as at;
    if not exists (select from organizations o where left(o.code, 2) = slot and o.route_tag = tag) then
      return tag;
    end if;
  end loop;
end
$$;

--
-- Name: utc_month(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."utc_month"("at" timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE "sql" IMMUTABLE
    AS $$
  select date_trunc('month', at at time zone 'UTC') at time zone 'UTC'
$$;

--
-- Name: verify_customer_of_link("uuid", "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."verify_customer_of_link"("customer_id" "uuid", "address" "text") RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  perform set_config('tankwatch.actor', 'link in a mail', true);
  -- Every change to the catalog of an organization takes this lock first.
  perform from organizations where no = (select organization_no from customers where id = customer_id)
  for no key update;
  update customers set is_verified = true, verified_at = coalesce(verified_at, now())
  where id = customer_id and email = address and deleted_at is null;
  return found;
end
$$;

--
-- Name: waiting_notifications(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."waiting_notifications"() RETURNS TABLE("kind" "text", "waiting" bigint, "oldest_at" timestamp with time zone)
    LANGUAGE "plpgsql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  return query
    select 'webhooks', count(*), min(d.created_at)
    from webhook_deliveries d join webhook_endpoints w on w.no = d.endpoint_no
    where d.status = 'pending' and w.disabled_at is null
    having count(*) > 0
    union all
    (select m.task, count(*), min(m.created_at)
     from (
       select j.task_identifier as task, j.created_at from graphile_worker.jobs j
       where j.task_identifier like 'mail\_%' and j.attempts < j.max_attempts
       union all
       select w.task, w.created_at from mail_jobs w where w.given_up_at is null
       union all
       select w.task, w.created_at from text_jobs w where w.given_up_at is null
       union all
       select w.task, w.created_at from push_jobs w where w.given_up_at is null
     ) as m
     group by m.task order by m.task);
end
$$;

--
-- Name: words_of_tank("public"."tanks"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."words_of_tank"("t" "public"."tanks") RETURNS "text"
    LANGUAGE "sql" STABLE PARALLEL SAFE
    AS $$
  select concat_ws(' ', t.name, t.street, t.district, t.city)
$$;

--
-- Name: words_of_text("text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."words_of_text"("given" "text") RETURNS SETOF "text"
    LANGUAGE "sql" IMMUTABLE ROWS 5 PARALLEL SAFE
    AS $$
  select word from string_to_table(public.search_text(given), ' ') as word
  where length(word) between 4 and 30 and word !~ '[0-9]'
$$;

--
-- Name: wrapped_link_secret_of("uuid"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."wrapped_link_secret_of"("customer_id" "uuid") RETURNS "text"
    LANGUAGE "sql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select s.wrapped_link_secret from customers c join organization_secrets s using (organization_no) where c.id = customer_id
$$;

--
-- Name: write_customer_texts(integer[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."write_customer_texts"("customer_nos" integer[]) RETURNS "void"
    LANGUAGE "sql"
    AS $$
  delete from customer_texts x using customers c
  where x.no = any (customer_nos) and c.no = x.no and c.deleted_at is not null;
  insert into customer_texts (no, organization_no, text, sort_name)
  select no, organization_no, customer_text(name, email, phone, external_key) || coalesce(other_phone_texts(other_phones), ''),
         customer_sort_name(name)
  from customers where no = any (customer_nos) and deleted_at is null order by no
  on conflict (no) do update set organization_no = excluded.organization_no, text = excluded.text, sort_name = excluded.sort_name
  where (customer_texts.organization_no, customer_texts.text, customer_texts.sort_name)
    is distinct from (excluded.organization_no, excluded.text, excluded.sort_name)
$$;

--
-- Name: write_tank_texts(integer[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."write_tank_texts"("tank_nos" integer[]) RETURNS "void"
    LANGUAGE "sql"
    AS $$
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

--
-- Name: write_texts_of_customers(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."write_texts_of_customers"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
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
    where (o.name, o.email, o.phone, o.other_phones, o.external_key, o.deleted_at)
      is distinct from (n.name, n.email, n.phone, n.other_phones, n.external_key, n.deleted_at)
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

--
-- Name: _private_job_queues; Type: TABLE; Schema: graphile_worker; Owner: -
--

CREATE TABLE "graphile_worker"."_private_job_queues" (
    "id" integer NOT NULL,
    "queue_name" "text" NOT NULL,
    "locked_at" timestamp with time zone,
    "locked_by" "text",
    "is_available" boolean GENERATED ALWAYS AS (("locked_at" IS NULL)) STORED NOT NULL,
    CONSTRAINT "job_queues_queue_name_check" CHECK (("length"("queue_name") <= 128))
);

--
-- Name: _private_known_crontabs; Type: TABLE; Schema: graphile_worker; Owner: -
--

CREATE TABLE "graphile_worker"."_private_known_crontabs" (
    "identifier" "text" NOT NULL,
    "known_since" timestamp with time zone NOT NULL,
    "last_execution" timestamp with time zone
);

--
-- Name: _private_tasks; Type: TABLE; Schema: graphile_worker; Owner: -
--

CREATE TABLE "graphile_worker"."_private_tasks" (
    "id" integer NOT NULL,
    "identifier" "text" NOT NULL,
    CONSTRAINT "tasks_identifier_check" CHECK (("length"("identifier") <= 128))
);

--
-- Name: job_queues_id_seq; Type: SEQUENCE; Schema: graphile_worker; Owner: -
--

ALTER TABLE "graphile_worker"."_private_job_queues" ALTER COLUMN "id" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "graphile_worker"."job_queues_id_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: jobs; Type: VIEW; Schema: graphile_worker; Owner: -
--

CREATE VIEW "graphile_worker"."jobs" AS
 SELECT "jobs"."id",
    "job_queues"."queue_name",
    "tasks"."identifier" AS "task_identifier",
    "jobs"."priority",
    "jobs"."run_at",
    "jobs"."attempts",
    "jobs"."max_attempts",
    "jobs"."last_error",
    "jobs"."created_at",
    "jobs"."updated_at",
    "jobs"."key",
    "jobs"."locked_at",
    "jobs"."locked_by",
    "jobs"."revision",
    "jobs"."flags"
   FROM (("graphile_worker"."_private_jobs" "jobs"
     JOIN "graphile_worker"."_private_tasks" "tasks" ON (("tasks"."id" = "jobs"."task_id")))
     LEFT JOIN "graphile_worker"."_private_job_queues" "job_queues" ON (("job_queues"."id" = "jobs"."job_queue_id")));

--
-- Name: jobs_id_seq1; Type: SEQUENCE; Schema: graphile_worker; Owner: -
--

ALTER TABLE "graphile_worker"."_private_jobs" ALTER COLUMN "id" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "graphile_worker"."jobs_id_seq1"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: migrations; Type: TABLE; Schema: graphile_worker; Owner: -
--

CREATE TABLE "graphile_worker"."migrations" (
    "id" integer NOT NULL,
    "ts" timestamp with time zone DEFAULT "now"() NOT NULL,
    "breaking" boolean DEFAULT false NOT NULL
);

--
-- Name: tasks_id_seq; Type: SEQUENCE; Schema: graphile_worker; Owner: -
--

ALTER TABLE "graphile_worker"."_private_tasks" ALTER COLUMN "id" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "graphile_worker"."tasks_id_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: acknowledgements; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."acknowledgements" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "tank_no" integer NOT NULL,
    "condition" "text" NOT NULL,
    "until" timestamp(3) with time zone NOT NULL,
    "comment" "text",
    "fill" smallint,
    "returns_at" real,
    "loss_at" timestamp(3) with time zone,
    "loss_per_hour" real,
    "loss_reading_at" timestamp(3) with time zone,
    "acknowledged_by" "text" DEFAULT "public"."current_actor"() NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "ended_at" timestamp(3) with time zone,
    "ended_because" "text",
    CONSTRAINT "acknowledgements_check" CHECK ((("ended_at" IS NULL) = ("ended_because" IS NULL))),
    CONSTRAINT "acknowledgements_check1" CHECK ((("condition" = 'losing'::"text") = ("loss_at" IS NOT NULL))),
    CONSTRAINT "acknowledgements_comment_check" CHECK ((("length"("comment") >= 1) AND ("length"("comment") <= 500))),
    CONSTRAINT "acknowledgements_condition_check" CHECK (("condition" = ANY (ARRAY['losing'::"text", 'low'::"text", 'gauge_unreliable'::"text", 'silent'::"text", 'device'::"text"]))),
    CONSTRAINT "acknowledgements_ended_because_check" CHECK (("ended_because" = ANY (ARRAY['resolved'::"text", 'new_event'::"text", 'worse'::"text", 'expired'::"text", 'withdrawn'::"text", 'replaced'::"text"])))
);
ALTER TABLE ONLY "public"."acknowledgements" ALTER COLUMN "organization_no" SET (n_distinct=2);

--
-- Name: device_health; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."device_health" (
    "organization_no" integer NOT NULL,
    "device_id" "text" NOT NULL,
    "tank_no" integer NOT NULL,
    "at" timestamp(3) with time zone NOT NULL,
    "battery_v" real,
    "battery_percent" real,
    "celsius" real,
    "rssi_dbm" real,
    "snr_db" real,
    "signal_percent" real,
    "firmware" "text",
    "next_at" timestamp(3) with time zone,
    "profile" "text",
    "fault" "text",
    "fault_since" timestamp(3) with time zone,
    "low_from" timestamp(3) with time zone,
    "low_at" timestamp(3) with time zone,
    "battery_low_since" timestamp(3) with time zone,
    "day" integer NOT NULL,
    "battery_days" real[] NOT NULL,
    "signal_days" real[] NOT NULL,
    "is_signal_weak" boolean NOT NULL,
    CONSTRAINT "device_health_device_id_check" CHECK (("length"("device_id") <= 64))
)
WITH ("fillfactor"='70');

--
-- Name: events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."events" (
    "no" bigint NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "tank_no" integer NOT NULL,
    "type" "text" NOT NULL,
    "occurred_at" timestamp(3) with time zone NOT NULL,
    "recorded_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "data" "jsonb" NOT NULL,
    "readings" "jsonb" NOT NULL,
    "notify" boolean NOT NULL,
    "retracted_at" timestamp(3) with time zone,
    "change_number" bigint DEFAULT "public"."next_change_number"() NOT NULL,
    "retracted_because" "text",
    CONSTRAINT "events_type_check" CHECK (("type" ~ '^(tank|device|connector)\.[a-z_]+$'::"text"))
);
ALTER TABLE ONLY "public"."events" ALTER COLUMN "organization_no" SET (n_distinct=2);
ALTER TABLE ONLY "public"."events" ALTER COLUMN "type" SET (n_distinct=12);

--
-- Name: fleet_levels; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."fleet_levels" (
    "tank_no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "fill" smallint DEFAULT 101 NOT NULL,
    "latest_on" "date" DEFAULT '-infinity'::"date" NOT NULL
)
WITH ("fillfactor"='80');
ALTER TABLE ONLY "public"."fleet_levels" ALTER COLUMN "organization_no" SET (n_distinct=2);

--
-- Name: fleet_tanks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."fleet_tanks" (
    "tank_no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "owner_no" integer NOT NULL,
    "city" "text" DEFAULT ''::"text" NOT NULL,
    "use_case" "text" DEFAULT ''::"text" NOT NULL,
    "threshold_on" "date" DEFAULT 'infinity'::"date" NOT NULL,
    "empty_on" "date" DEFAULT 'infinity'::"date" NOT NULL,
    "is_low" boolean DEFAULT false NOT NULL,
    "is_silent" boolean DEFAULT false NOT NULL,
    "is_gauge_unreliable" boolean DEFAULT false NOT NULL,
    "losing_seen_at" timestamp(3) with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    "refilled_on" "date" DEFAULT '-infinity'::"date" NOT NULL,
    "handled" smallint DEFAULT 0 NOT NULL,
    "has_notes" boolean DEFAULT false NOT NULL,
    "unusual_use_at" timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    "is_order_due" boolean DEFAULT false NOT NULL
)
WITH ("fillfactor"='80');
ALTER TABLE ONLY "public"."fleet_tanks" ALTER COLUMN "organization_no" SET (n_distinct=2);

--
-- Name: tank_conditions; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."tank_conditions" AS
 SELECT "f"."organization_no",
    "f"."tank_no",
    "c"."condition"
   FROM ("public"."fleet_tanks" "f"
     CROSS JOIN LATERAL ( VALUES ('losing'::"text",(("f"."losing_seen_at" > '-infinity'::timestamp with time zone) AND ("f"."losing_seen_at" > ("now"() - '48:00:00'::interval)))), ('low'::"text","f"."is_low"), ('gauge_unreliable'::"text","f"."is_gauge_unreliable"), ('silent'::"text","f"."is_silent")) "c"("condition", "is_true"))
  WHERE "c"."is_true"
UNION ALL
 SELECT "h"."organization_no",
    "h"."tank_no",
    'device'::"text" AS "condition"
   FROM ("public"."device_health" "h"
     JOIN "public"."tanks" "t" ON ((("t"."no" = "h"."tank_no") AND ("split_part"("t"."assigned_device_id", '#'::"text", 1) = "h"."device_id"))))
  WHERE (("h"."fault" IS NOT NULL) OR ("h"."battery_low_since" IS NOT NULL) OR "h"."is_signal_weak")
UNION ALL
 SELECT "l"."organization_no",
    "l"."tank_no",
    'device'::"text" AS "condition"
   FROM ("public"."fleet_levels" "l"
     JOIN "public"."tanks" "t" ON (("t"."no" = "l"."tank_no")))
  WHERE (("l"."latest_on" = '-infinity'::"date") AND ("t"."assigned_device_id" !~~ 'pending-%'::"text") AND (NOT "public"."is_manual_device"("t"."assigned_device_id")));

--
-- Name: tank_states; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."tank_states" (
    "tank_no" integer NOT NULL,
    "latest_fill_percentage" real NOT NULL,
    "latest_at" timestamp(3) with time zone NOT NULL,
    "encoded_state" "text",
    "timer_at" timestamp(3) with time zone,
    "reevaluate_from" timestamp(3) with time zone
)
WITH ("fillfactor"='70');

--
-- Name: acknowledgement_ends; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."acknowledgement_ends" AS
 SELECT "a"."no",
    "a"."id",
    "a"."organization_no",
    "a"."tank_no",
    "a"."condition",
    "a"."until",
    "a"."comment",
    "a"."returns_at",
    "a"."acknowledged_by",
    "a"."created_at",
        CASE
            WHEN (("a"."condition" = 'device'::"text") AND (NOT (EXISTS ( SELECT
               FROM "public"."tank_conditions" "c"
              WHERE (("c"."tank_no" = "a"."tank_no") AND ("c"."condition" = 'device'::"text")))))) THEN 'resolved'::"text"
            WHEN ((("f"."handled")::integer & "public"."condition_bit"("a"."condition")) IS DISTINCT FROM "public"."condition_bit"("a"."condition")) THEN 'resolved'::"text"
            WHEN (("a"."condition" = 'losing'::"text") AND ("f"."losing_seen_at" <= ("now"() - '48:00:00'::interval))) THEN 'resolved'::"text"
            WHEN (("a"."condition" = 'losing'::"text") AND (EXISTS ( SELECT
               FROM "public"."events" "e"
              WHERE (("e"."tank_no" = "a"."tank_no") AND ("e"."type" = 'tank.rapid_loss'::"text") AND ("e"."retracted_at" IS NULL) AND ("e"."occurred_at" > "a"."loss_at"))))) THEN 'new_event'::"text"
            WHEN (("a"."returns_at" IS NOT NULL) AND ((( SELECT "l"."fill"
               FROM "public"."fleet_levels" "l"
              WHERE ("l"."tank_no" = "a"."tank_no")))::double precision <= "a"."returns_at")) THEN 'worse'::"text"
            WHEN (("a"."condition" = 'losing'::"text") AND ((( SELECT "l"."fill"
               FROM "public"."fleet_levels" "l"
              WHERE ("l"."tank_no" = "a"."tank_no")))::double precision <= ((("a"."fill" - 2))::double precision - ((((1.5)::double precision * COALESCE("a"."loss_per_hour", (0)::real)) * (COALESCE(( SELECT GREATEST((0)::numeric, EXTRACT(epoch FROM ("s"."latest_at" - "a"."loss_reading_at"))) AS "greatest"
               FROM "public"."tank_states" "s"
              WHERE (("s"."tank_no" = "a"."tank_no") AND ("s"."latest_at" > '-infinity'::timestamp with time zone))), (0)::numeric))::double precision) / (3600)::double precision)))) THEN 'worse'::"text"
            WHEN ("a"."until" <= "now"()) THEN 'expired'::"text"
            ELSE NULL::"text"
        END AS "over_because"
   FROM ("public"."acknowledgements" "a"
     LEFT JOIN LATERAL ( SELECT "fleet_tanks"."handled",
            "fleet_tanks"."losing_seen_at"
           FROM "public"."fleet_tanks"
          WHERE ("fleet_tanks"."tank_no" = "a"."tank_no")
         OFFSET 0) "f" ON (true))
  WHERE ("a"."ended_at" IS NULL);

--
-- Name: acknowledgements_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."acknowledgements" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."acknowledgements_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: alert_scores; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."alert_scores" (
    "organization_no" integer NOT NULL,
    "score" "jsonb" NOT NULL
);

--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."api_keys" (
    "no" integer NOT NULL,
    "prefix" "text" NOT NULL,
    "secret_sha256" "bytea" NOT NULL,
    "organization_no" integer NOT NULL,
    "customer_no" integer,
    "name" "text" NOT NULL,
    "scopes" "text"[] NOT NULL,
    "requests_per_second" integer DEFAULT 100 NOT NULL,
    "burst" integer DEFAULT 1000 NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "expires_at" timestamp(3) with time zone,
    "revoked_at" timestamp(3) with time zone,
    "last_used_at" timestamp(3) with time zone,
    "changed_xid" "xid8" DEFAULT "pg_current_xact_id"() NOT NULL,
    CONSTRAINT "api_keys_burst_check" CHECK (("burst" > 0)),
    CONSTRAINT "api_keys_name_check" CHECK ((("length"("name") >= 1) AND ("length"("name") <= 200))),
    CONSTRAINT "api_keys_requests_per_second_check" CHECK (("requests_per_second" > 0)),
    CONSTRAINT "api_keys_scopes_check" CHECK ((("cardinality"("scopes") > 0) AND ("scopes" <@ ARRAY['read'::"text", 'ingest'::"text", 'manage'::"text"]))),
    CONSTRAINT "api_keys_secret_sha256_check" CHECK (("octet_length"("secret_sha256") = 32)),
    CONSTRAINT "narrowed_key_manages_nothing" CHECK ((("customer_no" IS NULL) OR (NOT ('manage'::"text" = ANY ("scopes")))))
);

--
-- Name: api_keys_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."api_keys" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."api_keys_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: audit_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."audit_log" (
    "no" bigint NOT NULL,
    "at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "actor" "text" NOT NULL,
    "login" "text" DEFAULT SESSION_USER NOT NULL,
    "organization_no" integer,
    "object" "text" NOT NULL,
    "action" "text" NOT NULL,
    "fields" "text"[] NOT NULL,
    "object_nos" bigint[] NOT NULL,
    "request_id" "text" DEFAULT NULLIF("current_setting"('tankwatch.request_id'::"text", true), ''::"text"),
    CONSTRAINT "audit_log_action_check" CHECK (("action" = ANY (ARRAY['create'::"text", 'update'::"text", 'delete'::"text", 'import'::"text", 'issue'::"text", 'replay'::"text", 'pack'::"text", 'unpack'::"text"])))
);

--
-- Name: audit_log_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."audit_log" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."audit_log_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: broker_cleanups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."broker_cleanups" (
    "connector_no" integer NOT NULL,
    "settings" "jsonb" NOT NULL,
    "sealed_secret" "text",
    "published" "jsonb" NOT NULL,
    "next_attempt_at" timestamp(3) with time zone DEFAULT ("now"() + '00:00:15'::interval) NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL
);

--
-- Name: catalog_buckets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."catalog_buckets" (
    "list" "public"."catalog_list" NOT NULL,
    "scope_no" integer NOT NULL,
    "starts_at" timestamp(3) with time zone NOT NULL,
    "starts_no" integer NOT NULL,
    "n" integer NOT NULL,
    CONSTRAINT "catalog_buckets_n_check" CHECK (("n" >= 0))
)
WITH ("fillfactor"='70');

--
-- Name: catalog_month_counters; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."catalog_month_counters" (
    "list" "public"."catalog_list" NOT NULL,
    "scope_no" integer NOT NULL,
    "month" timestamp(3) with time zone NOT NULL,
    "n" integer NOT NULL,
    CONSTRAINT "catalog_month_counters_n_check" CHECK (("n" >= 0))
)
WITH ("fillfactor"='70');

--
-- Name: change_epochs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."change_epochs" (
    "is_only" boolean DEFAULT true NOT NULL,
    "epoch" integer NOT NULL,
    "used_epoch" integer DEFAULT 0 NOT NULL,
    "history" bigint DEFAULT 0 NOT NULL,
    CONSTRAINT "change_epochs_is_only_check" CHECK ("is_only")
);

--
-- Name: connector_devices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."connector_devices" (
    "connector_no" integer NOT NULL,
    "device_id" "text" NOT NULL,
    CONSTRAINT "connector_devices_device_id_check" CHECK (("length"("device_id") <= 64))
);

--
-- Name: connector_states; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."connector_states" (
    "connector_no" integer NOT NULL,
    "next_attempt_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "leased_by" "uuid",
    "leased_until" timestamp(3) with time zone,
    "cursor_at" timestamp(3) with time zone,
    "backfill_at" timestamp(3) with time zone,
    "backfill_to" timestamp(3) with time zone,
    "looked_back_at" timestamp(3) with time zone,
    "window_seconds" integer,
    "after_device" "text",
    "failures" integer DEFAULT 0 NOT NULL,
    "slowness" integer DEFAULT 1 NOT NULL,
    "failing_since" timestamp(3) with time zone,
    "down_since" timestamp(3) with time zone,
    "refused_at" timestamp(3) with time zone,
    "last_error" "text",
    "attempted_at" timestamp(3) with time zone,
    "worked_at" timestamp(3) with time zone,
    "try_at" timestamp(3) with time zone,
    "trial" "jsonb",
    "memory" "jsonb" DEFAULT '{}'::"jsonb" NOT NULL,
    "hours" "jsonb" DEFAULT '{}'::"jsonb" NOT NULL
);

--
-- Name: connectors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."connectors" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "kind" "text" NOT NULL,
    "name" "text" NOT NULL,
    "settings" "jsonb" NOT NULL,
    "sealed_secret" "text",
    "paused_at" timestamp(3) with time zone,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "deleted_at" timestamp(3) with time zone,
    "has_secret" boolean GENERATED ALWAYS AS (("sealed_secret" IS NOT NULL)) STORED NOT NULL,
    CONSTRAINT "connectors_check" CHECK ((("deleted_at" IS NULL) OR ("sealed_secret" IS NULL))),
    CONSTRAINT "connectors_name_check" CHECK ((("length"("name") >= 1) AND ("length"("name") <= 100))),
    CONSTRAINT "connectors_settings_check" CHECK (("octet_length"(("settings")::"text") <= 16384))
);

--
-- Name: connectors_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."connectors" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."connectors_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: contact_reach; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."contact_reach" (
    "no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "phone" "text",
    "verified_at" timestamp(3) with time zone,
    "code_at" timestamp(3) with time zone,
    "code_tries" smallint DEFAULT 0 NOT NULL,
    "by_text" boolean DEFAULT true NOT NULL,
    "by_mail" boolean DEFAULT true NOT NULL,
    "quiet_from" time without time zone,
    "quiet_to" time without time zone,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "by_push" boolean DEFAULT true NOT NULL,
    "low_by" "text"[] DEFAULT '{}'::"text"[] NOT NULL,
    "other_by" "text"[] DEFAULT '{}'::"text"[] NOT NULL,
    CONSTRAINT "contact_reach_check" CHECK ((("verified_at" IS NULL) OR ("phone" IS NOT NULL))),
    CONSTRAINT "contact_reach_check1" CHECK ((("quiet_from" IS NULL) = ("quiet_to" IS NULL))),
    CONSTRAINT "contact_reach_low_by_check" CHECK (("low_by" <@ ARRAY['text'::"text", 'push'::"text"])),
    CONSTRAINT "contact_reach_other_by_check" CHECK (("other_by" <@ ARRAY['text'::"text", 'push'::"text"])),
    CONSTRAINT "contact_reach_phone_check" CHECK (("phone" ~ '^\+[1-9][0-9]{6,14}$'::"text"))
);

--
-- Name: contacts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."contacts" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "email" "text",
    "types" "text"[] NOT NULL,
    "digest_at" time(0) without time zone,
    "digest_since" timestamp(3) with time zone,
    "has_console" boolean DEFAULT false NOT NULL,
    "last_seen_at" timestamp(3) with time zone,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "deleted_at" timestamp(3) with time zone,
    "roles" "text"[] DEFAULT '{}'::"text"[] NOT NULL,
    "name" "text",
    "language" "text",
    "invited_at" timestamp(3) with time zone,
    CONSTRAINT "contacts_check" CHECK ((("digest_at" IS NULL) = ("digest_since" IS NULL))),
    CONSTRAINT "contacts_email_check" CHECK ((("length"("email") >= 1) AND ("length"("email") <= 320))),
    CONSTRAINT "deleted_contact_is_empty" CHECK ((("deleted_at" IS NULL) = ("email" IS NOT NULL))),
    CONSTRAINT "known_language" CHECK (("language" = ANY (ARRAY['en'::"text", 'es'::"text"]))),
    CONSTRAINT "known_roles" CHECK (("roles" <@ ARRAY['viewer'::"text", 'dispatcher'::"text", 'technician'::"text", 'administrator'::"text"])),
    CONSTRAINT "short_name" CHECK ((("length"("name") >= 1) AND ("length"("name") <= 200)))
);

--
-- Name: contact_settings; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."contact_settings" AS
 SELECT "contacts"."organization_no",
    "contacts"."no",
    "contacts"."id",
    "contacts"."email",
    "contacts"."types",
    "to_char"(("contacts"."digest_at")::interval, 'HH24:MI'::"text") AS "digest_at",
    "contacts"."has_console",
    "contacts"."roles",
    "contacts"."name",
    "contacts"."language"
   FROM "public"."contacts"
  WHERE ("contacts"."deleted_at" IS NULL);

--
-- Name: contacts_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."contacts" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."contacts_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: counter_check; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."counter_check" (
    "is_only_row" boolean DEFAULT true NOT NULL,
    "began_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "checked_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "last_tank_no" integer DEFAULT 0 NOT NULL,
    "checked_tanks" integer DEFAULT 0 NOT NULL,
    "wrong_counters" integer DEFAULT 0 NOT NULL,
    "example" "text",
    "ended_at" timestamp(3) with time zone,
    "ended_tanks" integer,
    "ended_wrong" integer DEFAULT 0 NOT NULL,
    "ended_example" "text",
    CONSTRAINT "counter_check_is_only_row_check" CHECK ("is_only_row")
);

--
-- Name: customer_texts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."customer_texts" (
    "no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "text" "text" NOT NULL,
    "sort_name" "text" NOT NULL COLLATE "pg_catalog"."C"
);
ALTER TABLE ONLY "public"."customer_texts" ALTER COLUMN "organization_no" SET (n_distinct=2);

--
-- Name: customers_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."customers" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."customers_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: daily_uses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."daily_uses" (
    "organization_no" integer NOT NULL,
    "day" "date" DEFAULT (("now"() AT TIME ZONE 'UTC'::"text"))::"date" NOT NULL,
    "what" "text" NOT NULL,
    "n" bigint NOT NULL,
    CONSTRAINT "daily_uses_what_check" CHECK (("what" = ANY (ARRAY['rounds'::"text", 'delivery_notes'::"text", 'answer_bytes'::"text"])))
)
WITH ("fillfactor"='50');

--
-- Name: delivery_days; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."delivery_days" (
    "no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "city" "text",
    "tank_no" integer,
    "weekdays" smallint[] NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "city_or_tank" CHECK (("num_nonnulls"("city", "tank_no") = 1)),
    CONSTRAINT "delivery_days_city_check" CHECK (("city" <> ''::"text")),
    CONSTRAINT "delivery_days_weekdays_check" CHECK ((("weekdays" <@ ARRAY[(1)::smallint, (2)::smallint, (3)::smallint, (4)::smallint, (5)::smallint, (6)::smallint, (7)::smallint]) AND ("cardinality"("weekdays") <= 7)))
);

--
-- Name: delivery_days_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."delivery_days" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."delivery_days_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: delivery_notes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."delivery_notes" (
    "no" bigint NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "series" "text" DEFAULT ''::"text" NOT NULL,
    "number" "text" NOT NULL,
    "customer_no" integer NOT NULL,
    "tank_no" integer,
    "truck_no" integer,
    "driver_no" integer,
    "at" timestamp(3) with time zone NOT NULL,
    "precision" "text" NOT NULL,
    "volume" double precision NOT NULL,
    "unit" "text" NOT NULL,
    "is_compensated" boolean,
    "product_celsius" real,
    "filled_to" real,
    "is_cancelled" boolean DEFAULT false NOT NULL,
    "source" "text" NOT NULL,
    "written_by" "text" DEFAULT "public"."current_actor"() NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "product" "text",
    "change_number" bigint DEFAULT 0 NOT NULL,
    "reference" "text",
    CONSTRAINT "delivery_notes_filled_to_check" CHECK ((("filled_to" >= (0)::double precision) AND ("filled_to" <= (100)::double precision))),
    CONSTRAINT "delivery_notes_number_check" CHECK ((("length"("number") >= 1) AND ("length"("number") <= 100))),
    CONSTRAINT "delivery_notes_precision_check" CHECK (("precision" = ANY (ARRAY['minute'::"text", 'day'::"text"]))),
    CONSTRAINT "delivery_notes_product_celsius_check" CHECK ((("product_celsius" >= ('-60'::integer)::double precision) AND ("product_celsius" <= (60)::double precision))),
    CONSTRAINT "delivery_notes_series_check" CHECK (("length"("series") <= 50)),
    CONSTRAINT "delivery_notes_source_check" CHECK (("source" = ANY (ARRAY['api'::"text", 'console'::"text", 'import'::"text", 'driver'::"text"]))),
    CONSTRAINT "delivery_notes_unit_check" CHECK (("unit" = ANY (ARRAY['liters'::"text", 'gallons'::"text"]))),
    CONSTRAINT "delivery_notes_volume_check" CHECK ((("volume" > (0)::double precision) AND ("volume" < 'Infinity'::double precision)))
);
ALTER TABLE ONLY "public"."delivery_notes" ALTER COLUMN "organization_no" SET (n_distinct=2);

--
-- Name: delivery_notes_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."delivery_notes" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."delivery_notes_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: depots; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."depots" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "name" "text" NOT NULL,
    "latitude" double precision NOT NULL,
    "longitude" double precision NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "archived_at" timestamp(3) with time zone,
    "external_key" "text",
    CONSTRAINT "depots_latitude_check" CHECK ((("latitude" >= ('-90'::integer)::double precision) AND ("latitude" <= (90)::double precision))),
    CONSTRAINT "depots_longitude_check" CHECK ((("longitude" >= ('-180'::integer)::double precision) AND ("longitude" <= (180)::double precision))),
    CONSTRAINT "depots_name_check" CHECK ((("length"("name") >= 1) AND ("length"("name") <= 200)))
);

--
-- Name: depots_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."depots" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."depots_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: device_assignments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."device_assignments" (
    "organization_no" integer NOT NULL,
    "tank_no" integer,
    "device_id" "text" NOT NULL,
    "from_at" timestamp(3) with time zone NOT NULL,
    "to_at" timestamp(3) with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    "assigned_at" timestamp(3) with time zone DEFAULT "now"(),
    "assigned_by" "text" DEFAULT "public"."current_actor"(),
    CONSTRAINT "device_assignments_check" CHECK (("from_at" < "to_at"))
);

--
-- Name: device_credentials; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."device_credentials" (
    "no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "device_id" "text" NOT NULL,
    "generation" integer NOT NULL,
    "revoked_at" timestamp(3) with time zone,
    "changed_xid" "xid8" DEFAULT "pg_current_xact_id"() NOT NULL,
    CONSTRAINT "device_credentials_device_id_check" CHECK ((("length"("device_id") >= 1) AND ("length"("device_id") <= 64))),
    CONSTRAINT "device_credentials_generation_check" CHECK (("generation" > 0))
);

--
-- Name: device_credentials_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."device_credentials" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."device_credentials_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: device_mails; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."device_mails" (
    "contact_no" integer NOT NULL,
    "type" "text" NOT NULL,
    "sent_at" timestamp(3) with time zone NOT NULL
);

--
-- Name: device_password_issues; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."device_password_issues" (
    "organization_no" integer NOT NULL,
    "device_id" "text" NOT NULL,
    "issued_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "device_password_issues_device_id_check" CHECK ((("length"("device_id") >= 1) AND ("length"("device_id") <= 64)))
);

--
-- Name: digests; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."digests" (
    "contact_no" integer NOT NULL,
    "day" "date" NOT NULL,
    "outcome" "text" NOT NULL,
    "covered_until" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "digests_outcome_check" CHECK (("outcome" = ANY (ARRAY['sent'::"text", 'empty'::"text", 'rejected'::"text"])))
);

--
-- Name: driver_entries_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."driver_entries" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."driver_entries_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: drivers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."drivers" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "name" "text",
    "phone" "text",
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "archived_at" timestamp(3) with time zone,
    "deleted_at" timestamp(3) with time zone,
    "external_key" "text",
    CONSTRAINT "deleted_driver_is_empty" CHECK (((("deleted_at" IS NULL) = ("name" IS NOT NULL)) AND (("deleted_at" IS NULL) OR ("phone" IS NULL)))),
    CONSTRAINT "drivers_name_check" CHECK ((("length"("name") >= 1) AND ("length"("name") <= 200))),
    CONSTRAINT "drivers_phone_check" CHECK ((("length"("phone") >= 1) AND ("length"("phone") <= 50)))
);

--
-- Name: drivers_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."drivers" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."drivers_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: duty_plans; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."duty_plans" (
    "no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "shifts" "jsonb" DEFAULT '[]'::"jsonb" NOT NULL,
    "exceptions" "jsonb" DEFAULT '[]'::"jsonb" NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "escalates" boolean DEFAULT true NOT NULL,
    "first_minutes" real DEFAULT 5 NOT NULL,
    "next_minutes" real DEFAULT 5 NOT NULL,
    "all_minutes" real DEFAULT 5 NOT NULL,
    "repeat_minutes" real DEFAULT 10,
    "empty_percentage" smallint DEFAULT 5,
    CONSTRAINT "duty_plans_all_minutes_check" CHECK ((("all_minutes" >= (0)::double precision) AND ("all_minutes" <= (120)::double precision))),
    CONSTRAINT "duty_plans_empty_percentage_check" CHECK ((("empty_percentage" >= 0) AND ("empty_percentage" <= 50))),
    CONSTRAINT "duty_plans_exceptions_check" CHECK (("octet_length"(("exceptions")::"text") <= 65536)),
    CONSTRAINT "duty_plans_first_minutes_check" CHECK ((("first_minutes" >= (0)::double precision) AND ("first_minutes" <= (120)::double precision))),
    CONSTRAINT "duty_plans_next_minutes_check" CHECK ((("next_minutes" >= (0)::double precision) AND ("next_minutes" <= (120)::double precision))),
    CONSTRAINT "duty_plans_repeat_minutes_check" CHECK ((("repeat_minutes" >= (0)::double precision) AND ("repeat_minutes" <= (1440)::double precision))),
    CONSTRAINT "duty_plans_shifts_check" CHECK (("octet_length"(("shifts")::"text") <= 65536))
);

--
-- Name: duty_plans_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."duty_plans" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."duty_plans_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: erased_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."erased_deliveries" (
    "organization_no" integer NOT NULL,
    "truck_no" integer NOT NULL,
    "notes" integer NOT NULL,
    "litres" double precision NOT NULL
);

--
-- Name: escalation_jobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."escalation_jobs" (
    "no" bigint NOT NULL,
    "organization_no" integer NOT NULL,
    "task" "text" NOT NULL,
    "payload" "jsonb" NOT NULL,
    "key" "text" NOT NULL,
    "tries" smallint DEFAULT 0 NOT NULL,
    "due_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "claimed_by" "uuid",
    "due_again_at" timestamp(3) with time zone,
    "given_up_at" timestamp(3) with time zone,
    "last_error" "text",
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL
);

--
-- Name: escalation_jobs_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."escalation_jobs" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."escalation_jobs_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: escalations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."escalations" (
    "no" bigint NOT NULL,
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "organization_no" integer NOT NULL,
    "tank_no" integer NOT NULL,
    "event_no" bigint NOT NULL,
    "condition" "text" NOT NULL,
    "stage" smallint DEFAULT 0 NOT NULL,
    "step" integer DEFAULT 0 NOT NULL,
    "next_at" timestamp(3) with time zone,
    "taken_at" timestamp(3) with time zone,
    "began_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "ended_at" timestamp(3) with time zone,
    "ended_because" "text",
    CONSTRAINT "escalations_check" CHECK ((("ended_at" IS NULL) = ("ended_because" IS NULL))),
    CONSTRAINT "escalations_condition_check" CHECK (("condition" = ANY (ARRAY['losing'::"text", 'low'::"text"]))),
    CONSTRAINT "escalations_ended_because_check" CHECK (("ended_because" = ANY (ARRAY['over'::"text", 'told'::"text", 'unreachable'::"text", 'failed'::"text", 'known'::"text"]))),
    CONSTRAINT "escalations_stage_check" CHECK ((("stage" >= 0) AND ("stage" <= 2)))
);

--
-- Name: escalations_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."escalations" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."escalations_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: estimated_tanks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."estimated_tanks" (
    "tank_no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "manual_from" timestamp(3) with time zone NOT NULL,
    "manual_to" timestamp(3) with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    "is_dip_wanted" boolean DEFAULT true NOT NULL,
    "is_told" boolean DEFAULT true NOT NULL,
    "owner_dips_on" "date" DEFAULT '-infinity'::"date" NOT NULL,
    "owner_dips" smallint DEFAULT 0 NOT NULL
)
WITH ("fillfactor"='80');
ALTER TABLE ONLY "public"."estimated_tanks" ALTER COLUMN "organization_no" SET (n_distinct=2);

--
-- Name: event_mails; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."event_mails" (
    "no" bigint NOT NULL,
    "event_no" bigint NOT NULL,
    "recipient" "text" NOT NULL,
    "recipient_no" integer NOT NULL,
    "kind" "text" NOT NULL,
    "sent_at" timestamp(3) with time zone DEFAULT "now"(),
    "retraction_sent_at" timestamp(3) with time zone,
    CONSTRAINT "event_mails_kind_check" CHECK (("kind" = ANY (ARRAY['alert'::"text", 'reminder'::"text"]))),
    CONSTRAINT "event_mails_recipient_check" CHECK (("recipient" = ANY (ARRAY['customer'::"text", 'contact'::"text"])))
);

--
-- Name: event_mails_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."event_mails" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."event_mails_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: events_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."events" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."events_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: failed_mails; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."failed_mails" (
    "no" bigint NOT NULL,
    "event_no" bigint NOT NULL,
    "recipient" "text" NOT NULL,
    "recipient_no" integer NOT NULL,
    "kind" "text" NOT NULL,
    "because" "text" NOT NULL,
    "failed_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "failed_mails_because_check" CHECK (("because" = ANY (ARRAY['rejected'::"text", 'given_up'::"text"]))),
    CONSTRAINT "failed_mails_kind_check" CHECK (("kind" = ANY (ARRAY['alert'::"text", 'reminder'::"text", 'retraction'::"text"]))),
    CONSTRAINT "failed_mails_recipient_check" CHECK (("recipient" = ANY (ARRAY['customer'::"text", 'contact'::"text"])))
);

--
-- Name: failed_mails_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."failed_mails" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."failed_mails_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: feed_removals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."feed_removals" (
    "organization_no" integer NOT NULL,
    "change_number" bigint NOT NULL,
    "no" bigint NOT NULL,
    "kind" "text" NOT NULL,
    "id" "text" NOT NULL,
    "removed_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "feed_removals_kind_check" CHECK (("kind" = ANY (ARRAY['stop'::"text", 'delivery_note'::"text", 'verdict'::"text"])))
);

--
-- Name: feed_removals_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."feed_removals" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."feed_removals_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: former_notes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."former_notes" (
    "no" bigint NOT NULL,
    "note_no" bigint NOT NULL,
    "at" timestamp(3) with time zone NOT NULL,
    "precision" "text" NOT NULL,
    "volume" double precision NOT NULL,
    "unit" "text" NOT NULL,
    "is_cancelled" boolean NOT NULL,
    "changed_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "changed_by" "text" DEFAULT "public"."current_actor"() NOT NULL
);

--
-- Name: former_notes_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."former_notes" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."former_notes_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: former_stops; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."former_stops" (
    "round_no" integer NOT NULL,
    "tank_no" integer NOT NULL
);

--
-- Name: gauge_profiles; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."gauge_profiles" (
    "no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "profile" "text" NOT NULL,
    "definition" "jsonb" NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "deleted_at" timestamp(3) with time zone,
    "changed_xid" "xid8" DEFAULT "pg_current_xact_id"() NOT NULL,
    CONSTRAINT "gauge_profiles_definition_check" CHECK (("octet_length"(("definition")::"text") <= 65536)),
    CONSTRAINT "gauge_profiles_profile_check" CHECK ((("length"("profile") >= 1) AND ("length"("profile") <= 64)))
);

--
-- Name: gauge_profiles_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."gauge_profiles" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."gauge_profiles_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: gauge_recomputations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."gauge_recomputations" (
    "tank_no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "next_attempt_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "attempts" smallint DEFAULT 0 NOT NULL,
    "last_error" "text",
    "computed_to" timestamp(3) with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    "has_changed" boolean DEFAULT false NOT NULL
);

--
-- Name: mutes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."mutes" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "tank_no" integer NOT NULL,
    "until" timestamp(3) with time zone NOT NULL,
    "reason" "text",
    "muted_by" "text" DEFAULT "public"."current_actor"() NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "ended_at" timestamp(3) with time zone,
    "ended_because" "text",
    CONSTRAINT "mutes_check" CHECK ((("ended_at" IS NULL) = ("ended_because" IS NULL))),
    CONSTRAINT "mutes_ended_because_check" CHECK (("ended_because" = ANY (ARRAY['expired'::"text", 'withdrawn'::"text"]))),
    CONSTRAINT "mutes_reason_check" CHECK ((("length"("reason") >= 1) AND ("length"("reason") <= 500)))
);
ALTER TABLE ONLY "public"."mutes" ALTER COLUMN "organization_no" SET (n_distinct=2);

--
-- Name: muted_tanks; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."muted_tanks" AS
 SELECT "m"."no",
    "m"."id",
    "m"."organization_no",
    "m"."tank_no",
    "m"."until",
    "m"."reason",
    "m"."muted_by",
    "m"."created_at"
   FROM "public"."mutes" "m"
  WHERE (("m"."ended_at" IS NULL) AND ("m"."until" > "now"()));

--
-- Name: handled_conditions; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."handled_conditions" AS
 SELECT "e"."organization_no",
    "e"."tank_no",
    "e"."condition",
    "e"."id" AS "acknowledgement_id",
    "e"."until",
    "e"."comment",
    "e"."returns_at",
    "e"."acknowledged_by",
    COALESCE("c"."name", "c"."email") AS "name",
    "e"."created_at"
   FROM ("public"."acknowledgement_ends" "e"
     LEFT JOIN "public"."contacts" "c" ON (("c"."id" =
        CASE
            WHEN ("e"."acknowledged_by" ~~ 'contact %'::"text") THEN ("substr"("e"."acknowledged_by", 9))::"uuid"
            ELSE NULL::"uuid"
        END)))
  WHERE ("e"."over_because" IS NULL)
UNION ALL
 SELECT "m"."organization_no",
    "m"."tank_no",
    "c"."condition",
    NULL::"uuid" AS "acknowledgement_id",
    "m"."until",
    "m"."reason" AS "comment",
    NULL::real AS "returns_at",
    "m"."muted_by" AS "acknowledged_by",
    NULL::"text" AS "name",
    "m"."created_at"
   FROM ("public"."muted_tanks" "m"
     CROSS JOIN LATERAL ( SELECT "tank_conditions"."condition"
           FROM "public"."tank_conditions"
          WHERE ("tank_conditions"."tank_no" = "m"."tank_no")
         OFFSET 0) "c")
  WHERE ("c"."condition" <> ALL (ARRAY['losing'::"text", 'device'::"text"]));

--
-- Name: idempotency_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."idempotency_keys" (
    "organization_no" integer NOT NULL,
    "caller" "text" NOT NULL,
    "key" "text" NOT NULL,
    "fingerprint" "bytea" NOT NULL,
    "status" smallint,
    "answer" "text",
    "object" "text",
    "object_no" bigint,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "idempotency_keys_key_check" CHECK ((("length"("key") >= 1) AND ("length"("key") <= 255)))
);

--
-- Name: identities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."identities" (
    "no" integer NOT NULL,
    "issuer_no" integer NOT NULL,
    "subject" "text" NOT NULL,
    "contact_no" integer NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "identities_subject_check" CHECK ((("length"("subject") >= 1) AND ("length"("subject") <= 255)))
);

--
-- Name: identities_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."identities" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."identities_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: imported_rows; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."imported_rows" (
    "import_no" bigint NOT NULL,
    "object" "text" NOT NULL,
    "object_no" integer NOT NULL,
    "before" "jsonb",
    "after" "jsonb" NOT NULL,
    "level_at" timestamp(3) with time zone,
    "level_percentage" real,
    CONSTRAINT "imported_rows_object_check" CHECK (("object" = ANY (ARRAY['customer'::"text", 'tank'::"text"])))
);

--
-- Name: imports; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."imports" (
    "no" bigint NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "what" "text" NOT NULL,
    "file_name" "text" NOT NULL,
    "rows_read" integer NOT NULL,
    "created" integer DEFAULT 0 NOT NULL,
    "updated" integer DEFAULT 0 NOT NULL,
    "unchanged" integer DEFAULT 0 NOT NULL,
    "refused" integer NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "created_by" "text" DEFAULT "public"."current_actor"() NOT NULL,
    "is_recorded" boolean DEFAULT true NOT NULL,
    "undone_at" timestamp(3) with time zone,
    "undone_by" "text",
    "headings" "text",
    "mapping" "jsonb",
    CONSTRAINT "imports_file_name_check" CHECK ((("length"("file_name") >= 1) AND ("length"("file_name") <= 200))),
    CONSTRAINT "imports_what_check" CHECK (("what" = ANY (ARRAY['customers'::"text", 'tanks'::"text"])))
);

--
-- Name: imports_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."imports" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."imports_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: issuers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."issuers" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "url" "text" NOT NULL,
    "client_id" "text" NOT NULL,
    "sealed_client_secret" "text",
    "label" "text",
    "domains" "text"[] DEFAULT '{}'::"text"[] NOT NULL,
    "scopes" "text"[] DEFAULT '{}'::"text"[] NOT NULL,
    "group_claim" "text" DEFAULT 'groups'::"text" NOT NULL,
    "group_roles" "jsonb" DEFAULT '{}'::"jsonb" NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "deleted_at" timestamp(3) with time zone,
    CONSTRAINT "deleted_issuer_has_no_secret" CHECK ((("deleted_at" IS NULL) OR ("sealed_client_secret" IS NULL))),
    CONSTRAINT "issuers_client_id_check" CHECK ((("length"("client_id") >= 1) AND ("length"("client_id") <= 500))),
    CONSTRAINT "issuers_group_claim_check" CHECK ((("length"("group_claim") >= 1) AND ("length"("group_claim") <= 200))),
    CONSTRAINT "issuers_group_roles_check" CHECK (("jsonb_typeof"("group_roles") = 'object'::"text")),
    CONSTRAINT "issuers_label_check" CHECK ((("length"("label") >= 1) AND ("length"("label") <= 100))),
    CONSTRAINT "issuers_url_check" CHECK ((("length"("url") >= 8) AND ("length"("url") <= 500)))
);

--
-- Name: issuers_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."issuers" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."issuers_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: key_activity; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."key_activity" (
    "key_no" integer NOT NULL,
    "day" "date" NOT NULL,
    "address" "text" NOT NULL,
    "requests" bigint NOT NULL,
    "first_at" timestamp(3) with time zone NOT NULL,
    "last_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "key_activity_address_check" CHECK ((("length"("address") >= 1) AND ("length"("address") <= 64)))
);

--
-- Name: ledger_clock_samples; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."ledger_clock_samples" (
    "note_no" bigint NOT NULL,
    "organization_no" integer NOT NULL,
    "customer_no" integer NOT NULL,
    "truck_no" integer NOT NULL,
    "at" timestamp(3) with time zone NOT NULL,
    "shift_ms" bigint NOT NULL
);

--
-- Name: ledger_entries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."ledger_entries" (
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "customer_no" integer NOT NULL,
    "at" timestamp(3) with time zone NOT NULL,
    "verdict" "text" NOT NULL,
    "reason" "text",
    "is_unlike_earlier" boolean NOT NULL,
    "is_pinned" boolean NOT NULL,
    "note_nos" bigint[] NOT NULL,
    "refill_tank_nos" integer[] NOT NULL,
    "refill_ats" timestamp(3) with time zone[] NOT NULL,
    "tank_nos" integer[] NOT NULL,
    "truck_no" integer,
    "driver_no" integer,
    "written_litres" double precision,
    "note_litres" double precision,
    "gauge_litres" double precision,
    "from_litres" double precision,
    "to_litres" double precision,
    "is_compared" boolean NOT NULL,
    "due_at" timestamp(3) with time zone,
    "made_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "change_number" bigint DEFAULT 0 NOT NULL,
    CONSTRAINT "ledger_entries_verdict_check" CHECK (("verdict" = ANY (ARRAY['consistent'::"text", 'not_consistent'::"text", 'cannot_be_told'::"text", 'waiting'::"text", 'note_without_refill'::"text", 'refill_without_note'::"text"])))
);
ALTER TABLE ONLY "public"."ledger_entries" ALTER COLUMN "organization_no" SET (n_distinct=2);

--
-- Name: ledger_marks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."ledger_marks" (
    "no" bigint NOT NULL,
    "organization_no" integer NOT NULL,
    "customer_no" integer NOT NULL
);

--
-- Name: ledger_marks_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."ledger_marks" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."ledger_marks_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: ledger_organizations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."ledger_organizations" (
    "organization_no" integer NOT NULL,
    "version" smallint NOT NULL,
    "begins_at" timestamp(3) with time zone,
    "clock_shifts" "jsonb" DEFAULT '{}'::"jsonb" NOT NULL,
    "between_tanks" real NOT NULL,
    "within_tank" real NOT NULL,
    "is_outdated" boolean DEFAULT true NOT NULL,
    "learned_at" timestamp(3) with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    "common_offset" real DEFAULT 0 NOT NULL,
    "is_off" boolean DEFAULT false NOT NULL,
    "differing_truck_nos" integer[] DEFAULT '{}'::integer[] NOT NULL,
    "differing_driver_nos" integer[] DEFAULT '{}'::integer[] NOT NULL
);

--
-- Name: mail_jobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."mail_jobs" (
    "no" bigint NOT NULL,
    "organization_no" integer NOT NULL,
    "task" "text" NOT NULL,
    "payload" "jsonb" NOT NULL,
    "key" "text" NOT NULL,
    "tries" smallint DEFAULT 0 NOT NULL,
    "due_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "claimed_by" "uuid",
    "due_again_at" timestamp(3) with time zone,
    "given_up_at" timestamp(3) with time zone,
    "last_error" "text",
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL
);

--
-- Name: mail_jobs_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."mail_jobs" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."mail_jobs_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: mutes_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."mutes" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."mutes_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: newest_backup; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."newest_backup" (
    "is_only" boolean DEFAULT true NOT NULL,
    "ended_at" timestamp(3) with time zone NOT NULL,
    "bytes" bigint,
    "label" "text" NOT NULL,
    "reported_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "newest_backup_is_only_check" CHECK ("is_only")
);

--
-- Name: note_pins; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."note_pins" (
    "no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "note_no" bigint NOT NULL,
    "tank_no" integer NOT NULL,
    "refill_at" timestamp(3) with time zone NOT NULL,
    "kind" "text" NOT NULL,
    "pinned_by" "text" DEFAULT "public"."current_actor"() NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "note_pins_kind_check" CHECK (("kind" = ANY (ARRAY['together'::"text", 'apart'::"text"])))
);

--
-- Name: note_pins_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."note_pins" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."note_pins_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: notification_holds; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."notification_holds" (
    "no" integer NOT NULL,
    "held_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "held_by" "text" DEFAULT "public"."current_actor"() NOT NULL,
    "reason" "text" NOT NULL,
    "holds_sign_in_mails" boolean NOT NULL,
    "released_at" timestamp(3) with time zone,
    "released_by" "text",
    CONSTRAINT "notification_holds_check" CHECK ((("released_at" IS NULL) = ("released_by" IS NULL))),
    CONSTRAINT "notification_holds_check1" CHECK (("released_at" >= "held_at")),
    CONSTRAINT "notification_holds_reason_check" CHECK ((("length"("reason") >= 1) AND ("length"("reason") <= 500)))
);

--
-- Name: notification_holds_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."notification_holds" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."notification_holds_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: organization_secrets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."organization_secrets" (
    "organization_no" integer NOT NULL,
    "sealed_device_secret" "text" NOT NULL,
    "sealed_link_secret" "text" NOT NULL,
    "wrapped_device_secret" "text",
    "wrapped_link_secret" "text",
    "changed_xid" "xid8" DEFAULT "pg_current_xact_id"()
);

--
-- Name: organizations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."organizations" (
    "no" integer NOT NULL,
    "code" "text" NOT NULL,
    "name" "text" NOT NULL,
    "language" "text" DEFAULT 'en'::"text" NOT NULL,
    "time_zone" "text" DEFAULT 'UTC'::"text" NOT NULL,
    "reply_to" "text",
    "phone" "text",
    "readings_per_second" integer,
    "telemetry_days" integer,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "deleted_at" timestamp(3) with time zone,
    "erased_at" timestamp(3) with time zone,
    "emergency_phone" "text",
    "safety_steps" "text"[],
    "max_customers" integer,
    "max_tanks" integer,
    "max_rounds_per_day" integer,
    "max_notes_per_day" integer,
    "route_tag" "text",
    "default_product" "text" DEFAULT 'propane'::"text" NOT NULL,
    "overfill_from" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "unusual_use_off_at" timestamp(3) with time zone,
    CONSTRAINT "organizations_check" CHECK ((("erased_at" IS NULL) OR ("deleted_at" IS NOT NULL))),
    CONSTRAINT "organizations_code_check" CHECK (("code" ~ '^[a-z0-9]{3,16}$'::"text")),
    CONSTRAINT "organizations_language_check" CHECK (("language" ~ '^(en|es)(-([A-Z]{2}|[0-9]{3}))?$'::"text")),
    CONSTRAINT "organizations_max_customers_check" CHECK (("max_customers" > 0)),
    CONSTRAINT "organizations_max_notes_per_day_check" CHECK (("max_notes_per_day" > 0)),
    CONSTRAINT "organizations_max_rounds_per_day_check" CHECK (("max_rounds_per_day" > 0)),
    CONSTRAINT "organizations_max_tanks_check" CHECK (("max_tanks" > 0)),
    CONSTRAINT "organizations_name_check" CHECK (("name" <> ''::"text")),
    CONSTRAINT "organizations_phone_check" CHECK ((("length"("phone") >= 1) AND ("length"("phone") <= 50))),
    CONSTRAINT "organizations_readings_per_second_check" CHECK (("readings_per_second" > 0)),
    CONSTRAINT "organizations_reply_to_check" CHECK ((("length"("reply_to") >= 1) AND ("length"("reply_to") <= 320))),
    CONSTRAINT "organizations_telemetry_days_check" CHECK ((("telemetry_days" = 0) OR ("telemetry_days" >= 90))),
    CONSTRAINT "organizations_time_zone_check" CHECK ((("length"("time_zone") >= 1) AND ("length"("time_zone") <= 64))),
    CONSTRAINT "route_tag_has_its_form" CHECK (("route_tag" ~ '^[01][a-km-np-z2-9]{3}$'::"text"))
);

--
-- Name: organization_settings; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."organization_settings" AS
 SELECT "organizations"."no" AS "organization_no",
    "organizations"."code",
    "organizations"."name",
    "organizations"."language",
    "organizations"."time_zone",
    "organizations"."phone",
    "organizations"."reply_to",
    "organizations"."default_product",
    ("organizations"."unusual_use_off_at" IS NULL) AS "reports_unusual_use"
   FROM "public"."organizations"
  WHERE ("organizations"."deleted_at" IS NULL);

--
-- Name: organizations_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."organizations" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."organizations_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: packed_months; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."packed_months" (
    "month" timestamp(3) with time zone NOT NULL,
    "packed_at" timestamp(3) with time zone,
    "is_kept_plain" boolean DEFAULT false NOT NULL
);

--
-- Name: packed_telemetry; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."packed_telemetry" (
    "tank_no" integer NOT NULL,
    "checksum" integer NOT NULL,
    "starts_at" timestamp(3) with time zone NOT NULL,
    "times" integer[] NOT NULL,
    "levels" smallint[] NOT NULL,
    "gauge_values" integer[]
)
PARTITION BY RANGE ("starts_at");
ALTER TABLE ONLY "public"."packed_telemetry" ALTER COLUMN "times" SET COMPRESSION lz4;
ALTER TABLE ONLY "public"."packed_telemetry" ALTER COLUMN "levels" SET COMPRESSION lz4;
ALTER TABLE ONLY "public"."packed_telemetry" ALTER COLUMN "gauge_values" SET COMPRESSION lz4;

--
-- Name: place_temperatures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."place_temperatures" (
    "place_no" integer NOT NULL,
    "kind" "text" NOT NULL,
    "on_date" "date" NOT NULL,
    "issued_at" timestamp(3) with time zone NOT NULL,
    "mean_c" real NOT NULL,
    "source" "text" DEFAULT ''::"text" NOT NULL,
    CONSTRAINT "place_temperatures_kind_check" CHECK (("kind" = ANY (ARRAY['observed'::"text", 'forecast'::"text", 'normal'::"text"]))),
    CONSTRAINT "place_temperatures_mean_c_check" CHECK ((("mean_c" >= ('-70'::integer)::double precision) AND ("mean_c" <= (55)::double precision)))
);

--
-- Name: places; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."places" (
    "no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "name" "text" NOT NULL,
    "postal_code" "text",
    "latitude" double precision,
    "longitude" double precision,
    "changed_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "matched_at" timestamp(3) with time zone,
    "computed_at" timestamp(3) with time zone,
    "normals" real[],
    "spread_c" real,
    "outlook" "text",
    "known_until" "date",
    CONSTRAINT "places_name_check" CHECK ((("name" <> ''::"text") AND ("length"("name") <= 80)))
);

--
-- Name: places_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."places" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."places_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: profile_assignments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."profile_assignments" (
    "no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "selector" "text" NOT NULL,
    "profile" "text" NOT NULL,
    "settings" "jsonb",
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "deleted_at" timestamp(3) with time zone,
    "changed_xid" "xid8" DEFAULT "pg_current_xact_id"() NOT NULL,
    CONSTRAINT "profile_assignments_profile_check" CHECK ((("length"("profile") >= 1) AND ("length"("profile") <= 64))),
    CONSTRAINT "profile_assignments_selector_check" CHECK ((("length"("selector") >= 1) AND ("length"("selector") <= 120))),
    CONSTRAINT "profile_assignments_settings_check" CHECK (("octet_length"(("settings")::"text") <= 1024))
);

--
-- Name: profile_assignments_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."profile_assignments" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."profile_assignments_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: push_jobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."push_jobs" (
    "no" bigint NOT NULL,
    "organization_no" integer NOT NULL,
    "task" "text" NOT NULL,
    "payload" "jsonb" NOT NULL,
    "key" "text" NOT NULL,
    "tries" smallint DEFAULT 0 NOT NULL,
    "due_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "claimed_by" "uuid",
    "due_again_at" timestamp(3) with time zone,
    "given_up_at" timestamp(3) with time zone,
    "last_error" "text",
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL
);

--
-- Name: push_jobs_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."push_jobs" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."push_jobs_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: push_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."push_keys" (
    "no" integer DEFAULT 1 NOT NULL,
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "public_key" "text" NOT NULL,
    "sealed_private_key" "text" NOT NULL,
    CONSTRAINT "push_keys_no_check" CHECK (("no" = 1))
);

--
-- Name: push_subscriptions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."push_subscriptions" (
    "no" integer NOT NULL,
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "organization_no" integer NOT NULL,
    "contact_no" integer NOT NULL,
    "session_prefix" "text" NOT NULL,
    "endpoint" "text" NOT NULL,
    "p256dh" "bytea" NOT NULL,
    "auth" "bytea" NOT NULL,
    "name" "text" NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "issuer_no" integer,
    "proven_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "push_subscriptions_auth_check" CHECK (("octet_length"("auth") = 16)),
    CONSTRAINT "push_subscriptions_endpoint_check" CHECK (("length"("endpoint") <= 2000)),
    CONSTRAINT "push_subscriptions_name_check" CHECK (("length"("name") <= 100)),
    CONSTRAINT "push_subscriptions_p256dh_check" CHECK (("octet_length"("p256dh") = 65))
);

--
-- Name: push_subscriptions_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."push_subscriptions" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."push_subscriptions_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: pushes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."pushes" (
    "no" bigint NOT NULL,
    "organization_no" integer NOT NULL,
    "contact_no" integer NOT NULL,
    "subscription_no" integer NOT NULL,
    "event_no" bigint,
    "step" integer DEFAULT 0 NOT NULL,
    "status" "text" DEFAULT 'waiting'::"text" NOT NULL,
    "error" "text",
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "finished_at" timestamp(3) with time zone,
    CONSTRAINT "pushes_status_check" CHECK (("status" = ANY (ARRAY['waiting'::"text", 'sent'::"text", 'failed'::"text", 'canceled'::"text"])))
);

--
-- Name: pushes_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."pushes" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."pushes_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: reading_batches; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."reading_batches" (
    "organization_no" integer NOT NULL,
    "change_number" bigint NOT NULL,
    "no" bigint NOT NULL,
    "stored_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "tank_nos" integer[] NOT NULL,
    "times" timestamp(3) with time zone[] NOT NULL,
    "levels" smallint[] NOT NULL
);

--
-- Name: reading_batches_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."reading_batches" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."reading_batches_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: reading_followers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."reading_followers" (
    "organization_no" integer NOT NULL,
    "complete_from" bigint,
    "asked_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL
);

--
-- Name: reevaluations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."reevaluations" (
    "tank_no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "settings_from" timestamp(3) with time zone,
    "settings_to" timestamp(3) with time zone,
    "next_attempt_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "attempts" smallint DEFAULT 0 NOT NULL,
    "failing_since" timestamp(3) with time zone,
    "last_error" "text",
    "is_after_upgrade" boolean DEFAULT false NOT NULL,
    "waits_for_version" smallint,
    "retract_because" "text"
);

--
-- Name: regional_rates; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."regional_rates" (
    "organization_no" integer NOT NULL,
    "use_case" "text" NOT NULL,
    "city" "text" NOT NULL,
    "until_on" "date" NOT NULL,
    "rates" real[] NOT NULL,
    "tanks" integer NOT NULL,
    "prior_log" real NOT NULL,
    "prior_deviation" real NOT NULL,
    CONSTRAINT "regional_rates_rates_check" CHECK ((("cardinality"("rates") >= 1) AND ("cardinality"("rates") <= 400)))
);

--
-- Name: rejected_readings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."rejected_readings" (
    "no" bigint NOT NULL,
    "organization_no" integer,
    "device_id" "text",
    "code" "text" NOT NULL,
    "detail" "text" NOT NULL,
    "raw" "bytea" NOT NULL,
    "format" "text" NOT NULL,
    "received_at" timestamp(3) with time zone NOT NULL,
    "message_id" "uuid" NOT NULL,
    "place" integer NOT NULL,
    "settled_at" timestamp(3) with time zone,
    "settlement" "text",
    "settled_by" "text",
    CONSTRAINT "rejected_readings_check" CHECK (((("settled_at" IS NULL) = ("settlement" IS NULL)) AND (("settled_at" IS NULL) = ("settled_by" IS NULL)))),
    CONSTRAINT "rejected_readings_settlement_check" CHECK (("settlement" = ANY (ARRAY['replayed'::"text", 'discarded'::"text"])))
);

--
-- Name: rejected_readings_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."rejected_readings" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."rejected_readings_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: reminder_unsubscribes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."reminder_unsubscribes" (
    "customer_no" integer NOT NULL,
    "at" timestamp(3) with time zone DEFAULT "now"() NOT NULL
);

--
-- Name: removals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."removals" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "at" timestamp(3) with time zone DEFAULT "clock_timestamp"() NOT NULL,
    "kind" "text" NOT NULL,
    "organization" "text" NOT NULL,
    "object" "text" NOT NULL,
    "ended_at" timestamp(3) with time zone,
    "generation" integer,
    "added_xid" "xid8" DEFAULT "pg_current_xact_id"() NOT NULL,
    CONSTRAINT "removals_kind_check" CHECK (("kind" = ANY (ARRAY['organization'::"text", 'customer'::"text", 'tank'::"text", 'contact'::"text", 'console'::"text", 'key'::"text", 'device'::"text", 'webhook'::"text", 'unsubscribe'::"text", 'driver'::"text"])))
);

--
-- Name: restore_drills; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."restore_drills" (
    "no" integer NOT NULL,
    "started_at" timestamp(3) with time zone NOT NULL,
    "ended_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "backup_label" "text",
    "rpo_seconds" double precision,
    "rto_seconds" double precision,
    "bytes" bigint,
    "problems" "text"[] NOT NULL
);

--
-- Name: restore_drills_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."restore_drills" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."restore_drills_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: round_stops; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."round_stops" (
    "no" bigint NOT NULL,
    "organization_no" integer NOT NULL,
    "round_no" integer NOT NULL,
    "number" integer NOT NULL,
    "position" integer NOT NULL,
    "tank_no" integer,
    "litres" double precision NOT NULL,
    "kind" "text" NOT NULL,
    "chance" real,
    "said" "text",
    "said_reason" "text",
    "said_litres" double precision,
    "said_as" "text",
    "said_by" "text",
    "said_at" timestamp(3) with time zone,
    "round_date" "date" NOT NULL,
    "is_open" boolean NOT NULL,
    "said_filled_to" real,
    "is_volume_typed" boolean DEFAULT false NOT NULL,
    "planned_fill_percentage" real,
    "is_kept" boolean DEFAULT false NOT NULL,
    "block_read_since" timestamp with time zone,
    "block_read_at" timestamp(3) with time zone,
    "said_entry_no" bigint,
    "change_number" bigint DEFAULT 0 NOT NULL,
    CONSTRAINT "round_stops_chance_check" CHECK ((("chance" >= (0)::double precision) AND ("chance" <= (1)::double precision))),
    CONSTRAINT "round_stops_kind_check" CHECK (("kind" = ANY (ARRAY['must'::"text", 'could'::"text", 'added'::"text"]))),
    CONSTRAINT "round_stops_litres_check" CHECK ((("litres" >= (0)::double precision) AND ("litres" < 'Infinity'::double precision))),
    CONSTRAINT "round_stops_number_check" CHECK (("number" > 0)),
    CONSTRAINT "round_stops_position_check" CHECK (("position" > 0)),
    CONSTRAINT "round_stops_said_as_check" CHECK (("said_as" = ANY (ARRAY['driver'::"text", 'person'::"text"]))),
    CONSTRAINT "round_stops_said_check" CHECK (("said" = ANY (ARRAY['delivered'::"text", 'not_possible'::"text"]))),
    CONSTRAINT "round_stops_said_filled_to_check" CHECK ((("said_filled_to" >= (0)::double precision) AND ("said_filled_to" <= (100)::double precision))),
    CONSTRAINT "round_stops_said_litres_check" CHECK ((("said_litres" >= (0)::double precision) AND ("said_litres" < 'Infinity'::double precision))),
    CONSTRAINT "round_stops_said_reason_check" CHECK (("said_reason" = ANY (ARRAY['no_access'::"text", 'refused'::"text", 'full'::"text", 'truck_empty'::"text", 'unsafe'::"text", 'other'::"text"]))),
    CONSTRAINT "word_is_complete" CHECK (((("said" IS NULL) = ("said_as" IS NULL)) AND (("said" IS NULL) = ("said_at" IS NULL)) AND (("said_reason" IS NOT NULL) = COALESCE(("said" = 'not_possible'::"text"), false)) AND (("said_litres" IS NULL) OR ("said" = 'delivered'::"text"))))
);

--
-- Name: rounds; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."rounds" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "date" "date" NOT NULL,
    "day_begins_at" timestamp(3) with time zone NOT NULL,
    "day_ends_at" timestamp(3) with time zone NOT NULL,
    "truck_no" integer NOT NULL,
    "driver_no" integer,
    "state" "text" DEFAULT 'planned'::"text" NOT NULL,
    "fill_to_percentage" real NOT NULL,
    "chance_limit" real NOT NULL,
    "link_generation" integer DEFAULT 0 NOT NULL,
    "version" integer DEFAULT 1 NOT NULL,
    "last_stop_number" integer DEFAULT 0 NOT NULL,
    "started_at" timestamp(3) with time zone,
    "ended_at" timestamp(3) with time zone,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "printed" "jsonb",
    "change_number" bigint DEFAULT 0 NOT NULL,
    CONSTRAINT "ended_round_has_a_time" CHECK ((("state" = ANY (ARRAY['done'::"text", 'cancelled'::"text"])) = ("ended_at" IS NOT NULL))),
    CONSTRAINT "rounds_chance_limit_check" CHECK ((("chance_limit" >= (0)::double precision) AND ("chance_limit" <= (1)::double precision))),
    CONSTRAINT "rounds_check" CHECK (("day_begins_at" < "day_ends_at")),
    CONSTRAINT "rounds_fill_to_percentage_check" CHECK ((("fill_to_percentage" >= (1)::double precision) AND ("fill_to_percentage" <= (100)::double precision))),
    CONSTRAINT "rounds_state_check" CHECK (("state" = ANY (ARRAY['planned'::"text", 'under_way'::"text", 'done'::"text", 'cancelled'::"text"])))
);
ALTER TABLE ONLY "public"."rounds" ALTER COLUMN "organization_no" SET (n_distinct=2);

--
-- Name: round_stop_outcomes; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."round_stop_outcomes" AS
 SELECT "s"."no" AS "stop_no",
    "s"."round_no",
        CASE
            WHEN ("s"."said" IS NOT NULL) THEN "s"."said"
            WHEN ("seen"."at" IS NOT NULL) THEN 'delivered'::"text"
            WHEN ("r"."state" = ANY (ARRAY['done'::"text", 'cancelled'::"text"])) THEN 'not_done'::"text"
            ELSE 'open'::"text"
        END AS "outcome",
        CASE
            WHEN ("s"."said" IS NOT NULL) THEN "s"."said_as"
            WHEN ("seen"."at" IS NOT NULL) THEN 'gauge'::"text"
            ELSE NULL::"text"
        END AS "outcome_from",
    "seen"."at" AS "seen_at",
    "seen"."litres" AS "seen_litres",
        CASE
            WHEN (("s"."said" = 'not_possible'::"text") AND ("seen"."at" IS NOT NULL)) THEN 'refill_seen'::"text"
            WHEN (("s"."said" = 'delivered'::"text") AND ("seen"."at" IS NULL) AND ("t"."assigned_device_id" !~~ 'MAN-%'::"text") AND ("z"."latest_at" > (GREATEST("s"."said_at", "r"."day_ends_at") + '12:00:00'::interval)) AND (COALESCE("s"."said_litres", "s"."litres") > (((0.1)::double precision * "t"."capacity") * (
            CASE "t"."capacity_unit"
                WHEN 'gallons'::"text" THEN 3.785411784
                ELSE (1)::numeric
            END)::double precision))) THEN 'no_refill_seen'::"text"
            ELSE NULL::"text"
        END AS "contradiction"
   FROM (((("public"."round_stops" "s"
     JOIN "public"."rounds" "r" ON (("r"."no" = "s"."round_no")))
     LEFT JOIN "public"."tanks" "t" ON (("t"."no" = "s"."tank_no")))
     LEFT JOIN "public"."tank_states" "z" ON (("z"."tank_no" = "s"."tank_no")))
     LEFT JOIN LATERAL ( SELECT "e"."occurred_at" AS "at",
            ((("e"."data" ->> 'delivered_volume'::"text"))::double precision * (
                CASE ("e"."data" ->> 'volume_unit'::"text")
                    WHEN 'gallons'::"text" THEN 3.785411784
                    ELSE (1)::numeric
                END)::double precision) AS "litres"
           FROM "public"."events" "e"
          WHERE (("e"."tank_no" = "s"."tank_no") AND ("e"."type" = 'tank.refilled'::"text") AND ("e"."retracted_at" IS NULL) AND ("e"."occurred_at" >= "r"."day_begins_at") AND ("e"."occurred_at" < ("r"."day_ends_at" + '36:00:00'::interval)) AND (COALESCE(((("e"."readings" -> 1) ->> 'created_at'::"text"))::timestamp with time zone, "e"."occurred_at") >= "r"."day_begins_at") AND (COALESCE(((("e"."readings" -> 0) ->> 'created_at'::"text"))::timestamp with time zone, "e"."occurred_at") < "r"."day_ends_at") AND (("e"."data" -> 'maybe_gauge_fault'::"text") IS NULL))
          ORDER BY "e"."occurred_at"
         LIMIT 1) "seen" ON (true));

--
-- Name: round_states; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."round_states" AS
 SELECT "r"."no" AS "round_no",
    "r"."organization_no",
        CASE
            WHEN (("r"."state" = ANY (ARRAY['planned'::"text", 'under_way'::"text"])) AND ("c"."stops" > 0) AND ("c"."open" = 0)) THEN 'done'::"text"
            ELSE "r"."state"
        END AS "state",
    "c"."stops",
    "c"."open",
    "c"."delivered",
    "c"."not_possible",
    "c"."not_done"
   FROM ("public"."rounds" "r"
     CROSS JOIN LATERAL ( SELECT ("count"(*))::integer AS "stops",
            ("count"(*) FILTER (WHERE ("x"."outcome" = 'open'::"text")))::integer AS "open",
            ("count"(*) FILTER (WHERE ("x"."outcome" = 'delivered'::"text")))::integer AS "delivered",
            ("count"(*) FILTER (WHERE ("x"."outcome" = 'not_possible'::"text")))::integer AS "not_possible",
            ("count"(*) FILTER (WHERE ("x"."outcome" = 'not_done'::"text")))::integer AS "not_done"
           FROM "public"."round_stop_outcomes" "x"
          WHERE ("x"."round_no" = "r"."no")) "c");

--
-- Name: round_stop_blocks; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."round_stop_blocks" AS
 SELECT "s"."no" AS "stop_no",
    "s"."round_no",
    "b"."since",
        CASE
            WHEN ("s"."block_read_since" = "b"."since") THEN "s"."block_read_at"
            ELSE NULL::timestamp with time zone
        END AS "read_at"
   FROM (("public"."round_stops" "s"
     JOIN "public"."fleet_tanks" "f" ON ((("f"."tank_no" = "s"."tank_no") AND ("f"."losing_seen_at" > '-infinity'::timestamp with time zone) AND ("f"."losing_seen_at" > ("now"() - '48:00:00'::interval)))))
     CROSS JOIN LATERAL ( SELECT COALESCE(( SELECT "e"."occurred_at"
                   FROM "public"."events" "e"
                  WHERE (("e"."tank_no" = "s"."tank_no") AND ("e"."type" = 'tank.rapid_loss'::"text") AND ("e"."retracted_at" IS NULL))
                  ORDER BY "e"."occurred_at" DESC
                 LIMIT 1), "f"."losing_seen_at") AS "since") "b")
  WHERE "s"."is_open";

--
-- Name: round_stop_words; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."round_stop_words" AS
 SELECT "s"."no" AS "stop_no",
    "s"."round_no",
    "own"."comment",
    NULLIF("concat_ws"('-'::"text", NULLIF("own"."note_series", ''::"text"), "own"."note_number"), ''::"text") AS "note",
    COALESCE("p"."name", "p"."email") AS "said_by_name",
        CASE
            WHEN (("other"."no" IS NOT NULL) AND ("other"."kind" <> 'reopened'::"text") AND ((("other"."kind" IS DISTINCT FROM "s"."said") OR ("other"."reason" IS DISTINCT FROM "s"."said_reason")) OR ("round"("other"."litres") IS DISTINCT FROM "round"(("s"."said_litres")::numeric)))) THEN "json_build_object"('from',
            CASE
                WHEN ("other"."recorded_by" IS NULL) THEN 'driver'::"text"
                ELSE 'person'::"text"
            END, 'kind', "other"."kind", 'volume', "other"."litres", 'reason', "other"."reason", 'comment', "other"."comment", 'note', "other"."note", 'at', "to_char"((LEAST("other"."at", "other"."received_at") AT TIME ZONE 'UTC'::"text"), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::"text"), 'said_by_name', COALESCE("q"."name", "q"."email"))
            ELSE NULL::"json"
        END AS "other_entry"
   FROM (((("public"."round_stops" "s"
     LEFT JOIN LATERAL ( SELECT "e"."no",
            "e"."recorded_by",
            "e"."comment",
            "e"."note_series",
            "e"."note_number"
           FROM "public"."driver_entries" "e"
          WHERE (("e"."round_no" = "s"."round_no") AND ("e"."stop_number" = "s"."number") AND ("e"."kind" = "s"."said") AND (("e"."no" = "s"."said_entry_no") OR (("s"."said_entry_no" IS NULL) AND ("s"."said_as" = 'driver'::"text") AND ("e"."recorded_by" IS NULL))))
          ORDER BY "e"."no" DESC
         LIMIT 1) "own" ON (true))
     LEFT JOIN LATERAL ( SELECT "e"."no",
            "e"."kind",
            "e"."reason",
            "e"."comment",
            "e"."recorded_by",
            "e"."at",
            "e"."received_at",
            NULLIF("concat_ws"('-'::"text", NULLIF("e"."note_series", ''::"text"), "e"."note_number"), ''::"text") AS "note",
            (("e"."volume" * (
                CASE "e"."volume_unit"
                    WHEN 'gallons'::"text" THEN 3.785411784
                    ELSE (1)::numeric
                END)::double precision))::numeric AS "litres"
           FROM "public"."driver_entries" "e"
          WHERE (("e"."round_no" = "s"."round_no") AND ("e"."stop_number" = "s"."number") AND ("e"."no" > "own"."no") AND (NOT (("own"."recorded_by" IS NULL) AND ("e"."recorded_by" IS NULL))))
          ORDER BY "e"."no" DESC
         LIMIT 1) "other" ON (true))
     LEFT JOIN "public"."contacts" "p" ON ((("p"."organization_no" = "s"."organization_no") AND ("p"."deleted_at" IS NULL) AND ("p"."id" =
        CASE
            WHEN ("s"."said_by" ~ '^contact [0-9a-f-]{36}$'::"text") THEN ("substr"("s"."said_by", 9))::"uuid"
            ELSE NULL::"uuid"
        END))))
     LEFT JOIN "public"."contacts" "q" ON ((("q"."organization_no" = "s"."organization_no") AND ("q"."deleted_at" IS NULL) AND ("q"."id" =
        CASE
            WHEN ("other"."recorded_by" ~ '^contact [0-9a-f-]{36}$'::"text") THEN ("substr"("other"."recorded_by", 9))::"uuid"
            ELSE NULL::"uuid"
        END))));

--
-- Name: round_stops_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."round_stops" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."round_stops_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: rounds_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."rounds" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."rounds_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: schema_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."schema_migrations" (
    "name" "text" NOT NULL,
    "sha256" "text" NOT NULL,
    "applied_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL
);

--
-- Name: search_words; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."search_words" (
    "organization_no" integer NOT NULL,
    "word" "text" NOT NULL COLLATE "pg_catalog"."C",
    "n" integer NOT NULL
)
WITH ("fillfactor"='80');

--
-- Name: seen_refills; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."seen_refills" (
    "tank_no" integer NOT NULL,
    "at" timestamp(3) with time zone NOT NULL,
    "from_at" timestamp(3) with time zone NOT NULL,
    "to_at" timestamp(3) with time zone NOT NULL,
    "litres" double precision NOT NULL,
    "before_percentage" real NOT NULL,
    "after_percentage" real NOT NULL,
    "capacity_litres" double precision NOT NULL,
    "noise_points" real NOT NULL,
    "use_points" real NOT NULL,
    "cadence_ms" bigint NOT NULL,
    "is_gauge_reliable" boolean NOT NULL
);

--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."sessions" (
    "no" bigint NOT NULL,
    "prefix" "text" NOT NULL,
    "secret_sha256" "bytea" NOT NULL,
    "key_no" integer,
    "contact_no" integer,
    "organization_no" integer NOT NULL,
    "customer_no" integer,
    "requests_per_second" integer NOT NULL,
    "burst" integer NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "expires_at" timestamp(3) with time zone NOT NULL,
    "ended_at" timestamp(3) with time zone,
    "changed_xid" "xid8" DEFAULT "pg_current_xact_id"() NOT NULL,
    "issuer_no" integer,
    "latest_end" timestamp(3) with time zone,
    CONSTRAINT "session_has_holder" CHECK ((("num_nonnulls"("key_no", "contact_no") < 2) AND (COALESCE("key_no", "contact_no", "customer_no") IS NOT NULL) AND (("contact_no" IS NULL) OR ("customer_no" IS NULL)))),
    CONSTRAINT "sessions_secret_sha256_check" CHECK (("octet_length"("secret_sha256") = 32))
);

--
-- Name: session_changes; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."session_changes" AS
 SELECT COALESCE("s"."key_no", (- ((1 + (("s"."no" - 1) % (2000000000)::bigint)))::integer)) AS "no",
    "s"."prefix",
    "s"."organization_no",
    "s"."customer_no",
    ARRAY['read'::"text"] AS "scopes",
    "s"."requests_per_second",
    "s"."burst",
    "s"."expires_at",
    "s"."ended_at" AS "revoked_at",
    "s"."changed_xid",
    "s"."contact_no",
        CASE
            WHEN ("s"."key_no" IS NOT NULL) THEN ARRAY['viewer'::"text"]
            ELSE COALESCE("c"."roles", '{}'::"text"[])
        END AS "roles"
   FROM ("public"."sessions" "s"
     LEFT JOIN "public"."contacts" "c" ON (("c"."no" = "s"."contact_no")));

--
-- Name: session_credentials; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."session_credentials" AS
 SELECT COALESCE("sessions"."key_no", (- ((1 + (("sessions"."no" - 1) % (2000000000)::bigint)))::integer)) AS "no",
    "sessions"."prefix",
    "sessions"."secret_sha256",
    "sessions"."organization_no",
    "sessions"."customer_no",
    ARRAY['read'::"text"] AS "scopes",
    "sessions"."requests_per_second",
    "sessions"."burst",
    "sessions"."expires_at",
    "sessions"."ended_at" AS "revoked_at",
    "sessions"."changed_xid"
   FROM "public"."sessions";

--
-- Name: session_issuers; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."session_issuers" AS
 SELECT "s"."prefix",
    "i"."id",
    "i"."label",
    "i"."url",
    "s"."latest_end"
   FROM ("public"."sessions" "s"
     JOIN "public"."issuers" "i" ON (("i"."no" = "s"."issuer_no")))
  WHERE ("i"."deleted_at" IS NULL);

--
-- Name: sessions_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."sessions" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."sessions_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: sign_in_identities; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."sign_in_identities" AS
 SELECT "lower"(("c"."email" COLLATE "C")) AS "address",
    "c"."email",
    "c"."id",
    "c"."no" AS "customer_no",
    NULL::integer AS "contact_no",
    "c"."organization_no",
    "c"."name" AS "customer_name"
   FROM "public"."customers" "c"
  WHERE ("c"."is_verified" AND ("c"."deleted_at" IS NULL))
UNION ALL
 SELECT "lower"(("c"."email" COLLATE "C")) AS "address",
    "c"."email",
    "c"."id",
    NULL::integer AS "customer_no",
    "c"."no" AS "contact_no",
    "c"."organization_no",
    NULL::"text" AS "customer_name"
   FROM "public"."contacts" "c"
  WHERE ("c"."has_console" AND ("c"."deleted_at" IS NULL) AND (NOT (EXISTS ( SELECT
           FROM "public"."identities" "i"
          WHERE ("i"."contact_no" = "c"."no")))));

--
-- Name: sign_in_issuers; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."sign_in_issuers" AS
 SELECT "i"."id",
    "i"."organization_no",
    "i"."url",
    "i"."client_id",
    "i"."sealed_client_secret",
    "i"."label",
    "i"."domains",
    "i"."scopes",
    "i"."group_claim",
    "i"."group_roles",
    ("left"("o"."code", 2) || "o"."route_tag") AS "slot",
    "o"."name" AS "organization_name",
    "o"."language"
   FROM ("public"."issuers" "i"
     JOIN "public"."organizations" "o" ON (("o"."no" = "i"."organization_no")))
  WHERE (("i"."deleted_at" IS NULL) AND ("o"."deleted_at" IS NULL));

--
-- Name: sign_ins; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."sign_ins" (
    "no" bigint NOT NULL,
    "address" "text" NOT NULL COLLATE "pg_catalog"."C",
    "browser_sha256" "bytea" NOT NULL,
    "link_sha256" "bytea",
    "code_sha256" "bytea",
    "wrong_codes" smallint DEFAULT 0 NOT NULL,
    "return_to" "text" DEFAULT '/'::"text" NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "expires_at" timestamp(3) with time zone DEFAULT ("now"() + '00:15:00'::interval) NOT NULL,
    "redeemed_at" timestamp(3) with time zone,
    "chosen_at" timestamp(3) with time zone,
    "kind" "text" DEFAULT 'mail'::"text" NOT NULL,
    "contact_no" integer,
    CONSTRAINT "sign_ins_address_check" CHECK ((("length"("address") >= 3) AND ("length"("address") <= 320))),
    CONSTRAINT "sign_ins_browser_sha256_check" CHECK (("octet_length"("browser_sha256") = 32)),
    CONSTRAINT "sign_ins_code_sha256_check" CHECK (("octet_length"("code_sha256") = 32)),
    CONSTRAINT "sign_ins_link_sha256_check" CHECK (("octet_length"("link_sha256") = 32)),
    CONSTRAINT "sign_ins_return_to_check" CHECK ((("return_to" ~ '^/'::"text") AND ("length"("return_to") <= 500)))
);

--
-- Name: sign_ins_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."sign_ins" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."sign_ins_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: stream_positions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."stream_positions" (
    "stream" "text" NOT NULL,
    "committed_sequence" bigint NOT NULL,
    "server_started_at" timestamp with time zone NOT NULL
);

--
-- Name: tank_checkpoints; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."tank_checkpoints" (
    "tank_no" integer NOT NULL,
    "week_index" smallint NOT NULL,
    "at" timestamp(3) with time zone NOT NULL,
    "encoded_state" "text" NOT NULL
)
WITH ("fillfactor"='70');

--
-- Name: tank_contents; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."tank_contents" AS
 SELECT "t"."no" AS "tank_no",
    COALESCE("t"."product", "o"."default_product") AS "product",
    "t"."fill_limit_percentage",
    "o"."overfill_from"
   FROM ("public"."tanks" "t"
     LEFT JOIN "public"."organizations" "o" ON (("o"."no" = "t"."organization_no")));

--
-- Name: tank_gauges; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."tank_gauges" (
    "tank_no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "from_at" timestamp(3) with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    "definition" "jsonb" NOT NULL,
    "changed_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "changed_by" "text" DEFAULT "public"."current_actor"() NOT NULL,
    "recomputed_at" timestamp(3) with time zone,
    "unreadable" integer DEFAULT 0 NOT NULL,
    CONSTRAINT "tank_gauges_definition_check" CHECK (("octet_length"(("definition")::"text") <= 32768))
);

--
-- Name: tank_notes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."tank_notes" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "tank_no" integer NOT NULL,
    "text" "text",
    "prints" boolean NOT NULL,
    "written_by" "text" DEFAULT "public"."current_actor"() NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "deleted_at" timestamp(3) with time zone,
    CONSTRAINT "deleted_note_is_empty" CHECK ((("deleted_at" IS NULL) = ("text" IS NOT NULL))),
    CONSTRAINT "tank_notes_text_check" CHECK ((("length"("text") >= 1) AND ("length"("text") <= 2000)))
);

--
-- Name: tank_notes_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."tank_notes" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."tank_notes_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: tank_outages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."tank_outages" (
    "tank_no" integer NOT NULL,
    "connector_no" integer NOT NULL,
    "from_at" timestamp(3) with time zone NOT NULL,
    "to_at" timestamp(3) with time zone
);

--
-- Name: tank_settings; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."tank_settings" AS
 SELECT "t"."no" AS "tank_no",
    "t"."id" AS "tank_id",
    "t"."organization_no",
    "t"."capacity",
    "t"."capacity_unit",
    ("t"."deleted_at" IS NOT NULL) AS "is_deleted",
    "t"."min_fill_alert_percentage",
    "t"."settings_changed_at",
    "o"."time_zone",
    "t"."is_batch_tank",
    "t"."report_interval_hours",
    "t"."is_mobile",
    "o"."unusual_use_off_at",
    "t"."order_threshold_percentage"
   FROM ("public"."tanks" "t"
     LEFT JOIN "public"."organizations" "o" ON (("o"."no" = "t"."organization_no")));

--
-- Name: tank_settings_history; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."tank_settings_history" (
    "tank_no" integer NOT NULL,
    "at" timestamp(3) with time zone NOT NULL,
    "min_fill_alert_percentage" smallint NOT NULL,
    "capacity" double precision NOT NULL,
    "capacity_unit" "text" NOT NULL,
    "is_batch_tank" boolean DEFAULT false NOT NULL,
    "changed_by" "text" DEFAULT "public"."current_actor"(),
    "report_interval_hours" smallint,
    "is_mobile" boolean DEFAULT false NOT NULL,
    "order_threshold_percentage" smallint
);

--
-- Name: tank_texts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."tank_texts" (
    "no" integer NOT NULL,
    "organization_no" integer NOT NULL,
    "text" "text" NOT NULL
);
ALTER TABLE ONLY "public"."tank_texts" ALTER COLUMN "organization_no" SET (n_distinct=2);

--
-- Name: tank_weather; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."tank_weather" (
    "tank_no" integer NOT NULL,
    "place_no" integer NOT NULL,
    "matched_by" "text" NOT NULL,
    "share" real DEFAULT 0 NOT NULL,
    "errors" real[] DEFAULT '{}'::real[] NOT NULL,
    "own_chance" real DEFAULT 0 NOT NULL,
    "own_share" real DEFAULT 0 NOT NULL,
    "learned_days" real DEFAULT 0 NOT NULL,
    "model" "text",
    CONSTRAINT "tank_weather_matched_by_check" CHECK (("matched_by" = ANY (ARRAY['choice'::"text", 'coordinates'::"text", 'postal_code'::"text"])))
)
WITH ("fillfactor"='80');

--
-- Name: tanks_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."tanks" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."tanks_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: tanks_to_end; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."tanks_to_end" AS
 SELECT "acknowledgement_ends"."tank_no"
   FROM "public"."acknowledgement_ends"
  WHERE ("acknowledgement_ends"."over_because" IS NOT NULL)
UNION
 SELECT "mutes"."tank_no"
   FROM "public"."mutes"
  WHERE (("mutes"."ended_at" IS NULL) AND ("mutes"."until" <= "now"()));

--
-- Name: telemetry; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
)
PARTITION BY RANGE ("created_at");

--
-- Name: telemetry_2026_11_01; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_01" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_02; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_02" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_03; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_03" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_04; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_04" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_05; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_05" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_06; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_06" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_07; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_07" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_08; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_08" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_09; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_09" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_10; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_10" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_11; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_11" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_12; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_12" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_13; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_13" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_14; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_14" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_15; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_15" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_16; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_16" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_17; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_17" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_18; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_18" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_19; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_19" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_20; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_20" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_21; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_21" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_22; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_22" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_23; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_23" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_24; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_24" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_25; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_25" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_26; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_26" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_27; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_27" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_28; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_28" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_29; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_29" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_30; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_30" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    "gauge_value" integer,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_buckets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_buckets" (
    "tank_no" integer NOT NULL,
    "n" integer NOT NULL,
    "starts_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_buckets_n_check" CHECK (("n" >= 0))
)
WITH ("fillfactor"='70');

--
-- Name: telemetry_month_counters; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_month_counters" (
    "tank_no" integer NOT NULL,
    "n" integer NOT NULL,
    "month" timestamp(3) with time zone NOT NULL,
    "is_packed" boolean DEFAULT false NOT NULL,
    CONSTRAINT "telemetry_month_counters_n_check" CHECK (("n" >= 0))
)
PARTITION BY RANGE ("month");

--
-- Name: telemetry_month_counters_2026; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_month_counters_2026" (
    "tank_no" integer NOT NULL,
    "n" integer NOT NULL,
    "month" timestamp(3) with time zone NOT NULL,
    "is_packed" boolean DEFAULT false NOT NULL,
    CONSTRAINT "telemetry_month_counters_n_check" CHECK (("n" >= 0))
)
WITH ("fillfactor"='70');

--
-- Name: telemetry_month_counters_2027; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_month_counters_2027" (
    "tank_no" integer NOT NULL,
    "n" integer NOT NULL,
    "month" timestamp(3) with time zone NOT NULL,
    "is_packed" boolean DEFAULT false NOT NULL,
    CONSTRAINT "telemetry_month_counters_n_check" CHECK (("n" >= 0))
)
WITH ("fillfactor"='70');

--
-- Name: telemetry_month_counters_earlier; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_month_counters_earlier" (
    "tank_no" integer NOT NULL,
    "n" integer NOT NULL,
    "month" timestamp(3) with time zone NOT NULL,
    "is_packed" boolean DEFAULT false NOT NULL,
    CONSTRAINT "telemetry_month_counters_n_check" CHECK (("n" >= 0))
)
WITH ("fillfactor"='70');

--
-- Name: text_channels; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."text_channels" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "provider" "text" NOT NULL,
    "settings" "jsonb" NOT NULL,
    "sealed_secret" "text",
    "daily_limit" integer NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "deleted_at" timestamp(3) with time zone,
    CONSTRAINT "text_channels_check" CHECK ((("deleted_at" IS NULL) = ("sealed_secret" IS NOT NULL))),
    CONSTRAINT "text_channels_daily_limit_check" CHECK ((("daily_limit" >= 1) AND ("daily_limit" <= 100000))),
    CONSTRAINT "text_channels_provider_check" CHECK (("provider" = ANY (ARRAY['twilio'::"text", 'vonage'::"text", 'messagebird'::"text", 'gateway'::"text"]))),
    CONSTRAINT "text_channels_settings_check" CHECK (("octet_length"(("settings")::"text") <= 4096))
);

--
-- Name: text_channels_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."text_channels" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."text_channels_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: text_jobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."text_jobs" (
    "no" bigint NOT NULL,
    "organization_no" integer NOT NULL,
    "task" "text" NOT NULL,
    "payload" "jsonb" NOT NULL,
    "key" "text" NOT NULL,
    "tries" smallint DEFAULT 0 NOT NULL,
    "due_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "claimed_by" "uuid",
    "due_again_at" timestamp(3) with time zone,
    "given_up_at" timestamp(3) with time zone,
    "last_error" "text",
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL
);

--
-- Name: text_jobs_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."text_jobs" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."text_jobs_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: text_usage; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."text_usage" (
    "organization_no" integer NOT NULL,
    "day" "date" NOT NULL,
    "requests" integer NOT NULL
);

--
-- Name: texts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."texts" (
    "no" bigint NOT NULL,
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "organization_no" integer NOT NULL,
    "contact_no" integer NOT NULL,
    "purpose" "text" NOT NULL,
    "escalation_no" bigint,
    "step" integer,
    "status" "text" DEFAULT 'waiting'::"text" NOT NULL,
    "provider_id" "text",
    "asked_at" timestamp(3) with time zone,
    "unknown" smallint DEFAULT 0 NOT NULL,
    "error" "text",
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "sent_at" timestamp(3) with time zone,
    "finished_at" timestamp(3) with time zone,
    "event_no" bigint,
    CONSTRAINT "texts_provider_id_check" CHECK (("length"("provider_id") <= 200)),
    CONSTRAINT "texts_purpose_check" CHECK (("purpose" = ANY (ARRAY['alert'::"text", 'code'::"text", 'test'::"text"]))),
    CONSTRAINT "texts_status_check" CHECK (("status" = ANY (ARRAY['waiting'::"text", 'sent'::"text", 'delivered'::"text", 'failed'::"text", 'canceled'::"text"])))
);

--
-- Name: texts_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."texts" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."texts_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: trucks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."trucks" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "name" "text" NOT NULL,
    "depot_no" integer NOT NULL,
    "capacity" double precision NOT NULL,
    "capacity_unit" "text" NOT NULL,
    "product" "text",
    "is_compensated" boolean,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "updated_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "archived_at" timestamp(3) with time zone,
    "external_key" "text",
    CONSTRAINT "trucks_capacity_check" CHECK ((("capacity" > (0)::double precision) AND ("capacity" < 'Infinity'::double precision))),
    CONSTRAINT "trucks_capacity_unit_check" CHECK (("capacity_unit" = ANY (ARRAY['liters'::"text", 'gallons'::"text"]))),
    CONSTRAINT "trucks_name_check" CHECK ((("length"("name") >= 1) AND ("length"("name") <= 200))),
    CONSTRAINT "trucks_product_check" CHECK ((("length"("product") >= 1) AND ("length"("product") <= 100)))
);

--
-- Name: trucks_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."trucks" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."trucks_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: waiting_dips; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."waiting_dips" (
    "no" bigint NOT NULL,
    "organization_no" integer NOT NULL,
    "tank_no" integer NOT NULL,
    "at" timestamp(3) with time zone NOT NULL,
    "fill_percentage" real NOT NULL,
    CONSTRAINT "waiting_dips_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: waiting_dips_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."waiting_dips" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."waiting_dips_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: webhook_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."webhook_deliveries" (
    "no" bigint NOT NULL,
    "endpoint_no" integer NOT NULL,
    "event_no" bigint,
    "status" "text" DEFAULT 'pending'::"text" NOT NULL,
    "tries" smallint DEFAULT 0 NOT NULL,
    "attempts" "jsonb" DEFAULT '[]'::"jsonb" NOT NULL,
    "next_attempt_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "finished_at" timestamp(3) with time zone,
    "message_id" "uuid",
    "change_kind" "text",
    "change_id" "text",
    CONSTRAINT "delivery_of_event_or_change" CHECK (("num_nulls"("message_id", "change_kind", "change_id") =
CASE
    WHEN ("event_no" IS NULL) THEN 0
    ELSE 3
END)),
    CONSTRAINT "webhook_deliveries_status_check" CHECK (("status" = ANY (ARRAY['pending'::"text", 'delivered'::"text", 'failed'::"text", 'canceled'::"text"])))
);

--
-- Name: webhook_deliveries_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."webhook_deliveries" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."webhook_deliveries_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 100000000000000
    CACHE 1
);

--
-- Name: webhook_endpoints; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."webhook_endpoints" (
    "no" integer NOT NULL,
    "id" "uuid" NOT NULL,
    "organization_no" integer NOT NULL,
    "url" "text" NOT NULL,
    "types" "text"[] NOT NULL,
    "secret" "text" NOT NULL,
    "previous_secret" "text",
    "previous_secret_until" timestamp(3) with time zone,
    "failing_since" timestamp(3) with time zone,
    "disabled_at" timestamp(3) with time zone,
    "disabled_because" "text",
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "deleted_at" timestamp(3) with time zone,
    CONSTRAINT "webhook_endpoints_check" CHECK ((("disabled_at" IS NULL) = ("disabled_because" IS NULL))),
    CONSTRAINT "webhook_endpoints_check1" CHECK ((("previous_secret" IS NULL) = ("previous_secret_until" IS NULL))),
    CONSTRAINT "webhook_endpoints_disabled_because_check" CHECK (("disabled_because" = ANY (ARRAY['operator'::"text", 'gone'::"text", 'failing'::"text"]))),
    CONSTRAINT "webhook_endpoints_url_check" CHECK ((("length"("url") >= 1) AND ("length"("url") <= 2000)))
);

--
-- Name: webhook_endpoints_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."webhook_endpoints" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."webhook_endpoints_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 40000000
    CACHE 1
);

--
-- Name: webhook_followers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."webhook_followers" (
    "endpoint_no" integer NOT NULL,
    "change_number" bigint NOT NULL,
    "source" smallint DEFAULT 0 NOT NULL,
    "key" "text" DEFAULT '0'::"text" NOT NULL
);

--
-- Name: webhook_settings; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."webhook_settings" AS
 SELECT "webhook_endpoints"."organization_no",
    "webhook_endpoints"."no",
    "webhook_endpoints"."id",
    "substring"("webhook_endpoints"."url", '^https?://(?:[^/?#@]*@)?([^/?#]+)'::"text") AS "host",
    "webhook_endpoints"."types",
    "webhook_endpoints"."failing_since",
    "webhook_endpoints"."disabled_at",
    "webhook_endpoints"."disabled_because"
   FROM "public"."webhook_endpoints";

--
-- Name: webhook_tests; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."webhook_tests" (
    "endpoint_no" integer NOT NULL,
    "requested_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "sent_at" timestamp(3) with time zone,
    "status" integer,
    "error" "text",
    "duration_ms" integer
);

--
-- Name: telemetry_2026_11_01; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_01" FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-11-02 00:00:00+00');

--
-- Name: telemetry_2026_11_02; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_02" FOR VALUES FROM ('2026-11-02 00:00:00+00') TO ('2026-11-03 00:00:00+00');

--
-- Name: telemetry_2026_11_03; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_03" FOR VALUES FROM ('2026-11-03 00:00:00+00') TO ('2026-11-04 00:00:00+00');

--
-- Name: telemetry_2026_11_04; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_04" FOR VALUES FROM ('2026-11-04 00:00:00+00') TO ('2026-11-05 00:00:00+00');

--
-- Name: telemetry_2026_11_05; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_05" FOR VALUES FROM ('2026-11-05 00:00:00+00') TO ('2026-11-06 00:00:00+00');

--
-- Name: telemetry_2026_11_06; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_06" FOR VALUES FROM ('2026-11-06 00:00:00+00') TO ('2026-11-07 00:00:00+00');

--
-- Name: telemetry_2026_11_07; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_07" FOR VALUES FROM ('2026-11-07 00:00:00+00') TO ('2026-11-08 00:00:00+00');

--
-- Name: telemetry_2026_11_08; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_08" FOR VALUES FROM ('2026-11-08 00:00:00+00') TO ('2026-11-09 00:00:00+00');

--
-- Name: telemetry_2026_11_09; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_09" FOR VALUES FROM ('2026-11-09 00:00:00+00') TO ('2026-11-10 00:00:00+00');

--
-- Name: telemetry_2026_11_10; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_10" FOR VALUES FROM ('2026-11-10 00:00:00+00') TO ('2026-11-11 00:00:00+00');

--
-- Name: telemetry_2026_11_11; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_11" FOR VALUES FROM ('2026-11-11 00:00:00+00') TO ('2026-11-12 00:00:00+00');

--
-- Name: telemetry_2026_11_12; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_12" FOR VALUES FROM ('2026-11-12 00:00:00+00') TO ('2026-11-13 00:00:00+00');

--
-- Name: telemetry_2026_11_13; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_13" FOR VALUES FROM ('2026-11-13 00:00:00+00') TO ('2026-11-14 00:00:00+00');

--
-- Name: telemetry_2026_11_14; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_14" FOR VALUES FROM ('2026-11-14 00:00:00+00') TO ('2026-11-15 00:00:00+00');

--
-- Name: telemetry_2026_11_15; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_15" FOR VALUES FROM ('2026-11-15 00:00:00+00') TO ('2026-11-16 00:00:00+00');

--
-- Name: telemetry_2026_11_16; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_16" FOR VALUES FROM ('2026-11-16 00:00:00+00') TO ('2026-11-17 00:00:00+00');

--
-- Name: telemetry_2026_11_17; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_17" FOR VALUES FROM ('2026-11-17 00:00:00+00') TO ('2026-11-18 00:00:00+00');

--
-- Name: telemetry_2026_11_18; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_18" FOR VALUES FROM ('2026-11-18 00:00:00+00') TO ('2026-11-19 00:00:00+00');

--
-- Name: telemetry_2026_11_19; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_19" FOR VALUES FROM ('2026-11-19 00:00:00+00') TO ('2026-11-20 00:00:00+00');

--
-- Name: telemetry_2026_11_20; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_20" FOR VALUES FROM ('2026-11-20 00:00:00+00') TO ('2026-11-21 00:00:00+00');

--
-- Name: telemetry_2026_11_21; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_21" FOR VALUES FROM ('2026-11-21 00:00:00+00') TO ('2026-11-22 00:00:00+00');

--
-- Name: telemetry_2026_11_22; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_22" FOR VALUES FROM ('2026-11-22 00:00:00+00') TO ('2026-11-23 00:00:00+00');

--
-- Name: telemetry_2026_11_23; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_23" FOR VALUES FROM ('2026-11-23 00:00:00+00') TO ('2026-11-24 00:00:00+00');

--
-- Name: telemetry_2026_11_24; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_24" FOR VALUES FROM ('2026-11-24 00:00:00+00') TO ('2026-11-25 00:00:00+00');

--
-- Name: telemetry_2026_11_25; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_25" FOR VALUES FROM ('2026-11-25 00:00:00+00') TO ('2026-11-26 00:00:00+00');

--
-- Name: telemetry_2026_11_26; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_26" FOR VALUES FROM ('2026-11-26 00:00:00+00') TO ('2026-11-27 00:00:00+00');

--
-- Name: telemetry_2026_11_27; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_27" FOR VALUES FROM ('2026-11-27 00:00:00+00') TO ('2026-11-28 00:00:00+00');

--
-- Name: telemetry_2026_11_28; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_28" FOR VALUES FROM ('2026-11-28 00:00:00+00') TO ('2026-11-29 00:00:00+00');

--
-- Name: telemetry_2026_11_29; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_29" FOR VALUES FROM ('2026-11-29 00:00:00+00') TO ('2026-11-30 00:00:00+00');

--
-- Name: telemetry_2026_11_30; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry" ATTACH PARTITION "public"."telemetry_2026_11_30" FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00');

--
-- Name: telemetry_month_counters_2026; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_month_counters" ATTACH PARTITION "public"."telemetry_month_counters_2026" FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('2027-01-01 00:00:00+00');

--
-- Name: telemetry_month_counters_2027; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_month_counters" ATTACH PARTITION "public"."telemetry_month_counters_2027" FOR VALUES FROM ('2027-01-01 00:00:00+00') TO ('2028-01-01 00:00:00+00');

--
-- Name: telemetry_month_counters_earlier; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_month_counters" ATTACH PARTITION "public"."telemetry_month_counters_earlier" FOR VALUES FROM (MINVALUE) TO ('2026-01-01 00:00:00+00');

--
-- Data for Name: _private_job_queues; Type: TABLE DATA; Schema: graphile_worker; Owner: -
--

--
-- Data for Name: _private_jobs; Type: TABLE DATA; Schema: graphile_worker; Owner: -
--

--
-- Data for Name: _private_known_crontabs; Type: TABLE DATA; Schema: graphile_worker; Owner: -
--

--
-- Data for Name: _private_tasks; Type: TABLE DATA; Schema: graphile_worker; Owner: -
--

--
-- Data for Name: migrations; Type: TABLE DATA; Schema: graphile_worker; Owner: -
--

INSERT INTO "graphile_worker"."migrations" VALUES (1, '2026-11-18 16:35:51.635327+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (2, '2026-11-18 16:35:51.756059+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (3, '2026-11-18 16:35:51.792228+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (4, '2026-11-18 16:35:51.812133+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (5, '2026-11-18 16:35:51.831164+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (6, '2026-11-18 16:35:51.840025+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (7, '2026-11-18 16:35:51.852157+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (8, '2026-11-18 16:35:51.857609+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (9, '2026-11-18 16:35:51.884134+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (10, '2026-11-18 16:35:51.887908+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (11, '2026-11-18 16:35:51.891134+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (12, '2026-11-18 16:35:52.170044+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (13, '2026-11-18 16:35:52.172739+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (14, '2026-11-18 16:35:52.206507+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (15, '2026-11-18 16:35:52.222206+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (16, '2026-11-18 16:35:52.224221+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (17, '2026-11-18 16:35:52.235695+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (18, '2026-11-18 16:35:52.240378+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (19, '2026-11-18 16:35:52.254254+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (20, '2026-11-18 16:35:52.259926+00', false);

--
-- Data for Name: acknowledgements; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: alert_scores; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: audit_log; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: broker_cleanups; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: catalog_buckets; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: catalog_month_counters; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: change_epochs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO "public"."change_epochs" VALUES (true, 0, 0, 0);

--
-- Data for Name: connector_devices; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: connector_states; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: connectors; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: contact_reach; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: contacts; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: counter_check; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO "public"."counter_check" VALUES (true, '2026-11-18 16:35:46.288+00', '2026-11-18 16:35:46.288+00', 0, 0, 0, NULL, NULL, NULL, 0, NULL);

--
-- Data for Name: customer_texts; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: customers; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: daily_uses; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: delivery_days; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: delivery_notes; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: depots; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: device_assignments; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: device_credentials; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: device_health; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: device_mails; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: device_password_issues; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: digests; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: driver_entries; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: drivers; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: duty_plans; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: erased_deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: escalation_jobs; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: escalations; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: estimated_tanks; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: event_mails; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: failed_mails; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: feed_removals; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: fleet_levels; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: fleet_tanks; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: former_notes; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: former_stops; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: gauge_profiles; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: gauge_recomputations; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: idempotency_keys; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: identities; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: imported_rows; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: imports; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: issuers; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: key_activity; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: ledger_clock_samples; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: ledger_entries; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: ledger_marks; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: ledger_organizations; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: mail_jobs; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: mutes; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: newest_backup; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: note_pins; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: notification_holds; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: organization_secrets; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: organizations; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: packed_months; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: place_temperatures; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: places; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: profile_assignments; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: push_jobs; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: push_keys; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: push_subscriptions; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: pushes; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: reading_batches; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: reading_followers; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: reevaluations; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: regional_rates; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: rejected_readings; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: reminder_unsubscribes; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: removals; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: restore_drills; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: round_stops; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: rounds; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: schema_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO "public"."schema_migrations" VALUES ('0001_roles.sql', '16c6ef8c0717d4f0659c8f7a3504aef5ee163677d4f6d121764c999e8ad02c3c', '2026-11-18 16:35:45.479+00');
INSERT INTO "public"."schema_migrations" VALUES ('0002_catalog.sql', 'f2f5883096e54a7bedd3ded94e506047dcdef72a5d6e25b56aa48fc4316514e0', '2026-11-18 16:35:45.49+00');
INSERT INTO "public"."schema_migrations" VALUES ('0003_catalog_counters.sql', 'f05c3cf291d1a5d1d0c85f4c5b4deea6e1e5262cb70cc32b84c6617a453e10f1', '2026-11-18 16:35:45.572+00');
INSERT INTO "public"."schema_migrations" VALUES ('0004_keys_and_devices.sql', '9f51c0ca390e25eb38420ab4d72009965de98e37072e74a688e00e83aab7dd3d', '2026-11-18 16:35:45.614+00');
INSERT INTO "public"."schema_migrations" VALUES ('0005_telemetry.sql', '2df1899203ace4bc814f8a1078c3449e7e3818d24b6149964af928e7bba2bb82', '2026-11-18 16:35:45.714+00');
INSERT INTO "public"."schema_migrations" VALUES ('0006_telemetry_reads.sql', 'baab13b504a23e8b721bad8442489bb100bc5e9957faedf7ea80472ac41400c8', '2026-11-18 16:35:45.853+00');
INSERT INTO "public"."schema_migrations" VALUES ('0007_packing.sql', 'cc9f876bc1d5c56e38c66cc5efa6b34710c6c3fe06ca3b7fd9c9210d22160fec', '2026-11-18 16:35:45.856+00');
INSERT INTO "public"."schema_migrations" VALUES ('0008_evaluation.sql', 'bf3a17f605af7f1eee71b6a5b3b94279383b39d85bb8f845e5364fb61500d530', '2026-11-18 16:35:45.861+00');
INSERT INTO "public"."schema_migrations" VALUES ('0009_notifications.sql', '837726686944083860e069c629f3325c4eb54e7bb5051ed02c5ad943fc8aebfd', '2026-11-18 16:35:45.972+00');
INSERT INTO "public"."schema_migrations" VALUES ('0010_audit.sql', '7b7d353477695e728048aa7aae69defdbdce9cdc8959448198f132123655b315', '2026-11-18 16:35:46.24+00');
INSERT INTO "public"."schema_migrations" VALUES ('0011_grants.sql', 'dba2c88e16a46527b87d8803bc028ca2f9ef3effbb7be8eb65948fb5c6625b65', '2026-11-18 16:35:46.262+00');
INSERT INTO "public"."schema_migrations" VALUES ('0012_erasure_and_retention.sql', 'a9b543f94b2ce35cd4fb8bea43ac1b097cc7a0f66e3f93d1798cdad5c9de2352', '2026-11-18 16:35:46.288+00');
INSERT INTO "public"."schema_migrations" VALUES ('0013_fleet.sql', 'dac7a096e95367ad06a50eb88fbf676702af670ce34e0a69e71be7149ee6645d', '2026-11-18 16:35:46.33+00');
INSERT INTO "public"."schema_migrations" VALUES ('0014_sessions.sql', '43de9b94c8c2c8deff7d0126e4eaf98e7a11bda7c48103e8c884febd205b3983', '2026-11-18 16:35:46.435+00');
INSERT INTO "public"."schema_migrations" VALUES ('0015_internal_numbers.sql', '10f05143e477f67aac566f778f7f5263fd7abe2b988f93798112ab0079b838c1', '2026-11-18 16:35:46.522+00');
INSERT INTO "public"."schema_migrations" VALUES ('0016_change_epoch.sql', 'decb198de9b7c743935f6fd24f62766f5528cf8ac7ee779beb557b8557fa923a', '2026-11-18 16:35:46.564+00');
INSERT INTO "public"."schema_migrations" VALUES ('0017_access.sql', '8298042c0e73100c79167ce4605db168ee57fec93d33677d2a2dd15aa0ec8d6e', '2026-11-18 16:35:46.57+00');
INSERT INTO "public"."schema_migrations" VALUES ('0018_events_of_type.sql', '23aab69d891e9d6d0c2c03ad024507b26b33a0c503b25966cfc03cae037c7438', '2026-11-18 16:35:46.604+00');
INSERT INTO "public"."schema_migrations" VALUES ('0019_telemetry_page_start.sql', 'ad5bc17f6dce56e5c157e3d957242f2b9ae4f16f434af4c5cc592d62d62b71dd', '2026-11-18 16:35:46.608+00');
INSERT INTO "public"."schema_migrations" VALUES ('0020_safety.sql', '7e06c44bf6c0d76831a51967536687046a69f71a9280c16a0000fc2adc01801a', '2026-11-18 16:35:46.612+00');
INSERT INTO "public"."schema_migrations" VALUES ('0021_days_of_organizations.sql', '16eb5d2133fb82a5744dba53a71c1ed65dc81baea3623e188344facbbd19b27d', '2026-11-18 16:35:46.616+00');
INSERT INTO "public"."schema_migrations" VALUES ('0022_search_texts.sql', 'b5e4c360421d96a6b9be2fa151006a87c2a2fd43dd785d54ea6acf158675d8a9', '2026-11-18 16:35:46.62+00');
INSERT INTO "public"."schema_migrations" VALUES ('0023_fill_search_texts.sql', '65801cec9005064266e1811b75c9ff41fb6aca97fc156420236eba2a6c062a27', '2026-11-18 16:35:46.651+00');
INSERT INTO "public"."schema_migrations" VALUES ('0024_retractions.sql', 'ed73b91a1aa9557610803e2d504261e5ba57f7de7777d2d350fc743c704610ae', '2026-11-18 16:35:46.652+00');
INSERT INTO "public"."schema_migrations" VALUES ('0025_weather.sql', 'deb3f76ccce40ede59facdba3d9d35d7a4ce1f83da91821b17a8d52f8a36d15e', '2026-11-18 16:35:46.664+00');
INSERT INTO "public"."schema_migrations" VALUES ('0026_weather_rights.sql', '80e067ce6662490118237d14a08bde523cbd05995d231794a5c5e03348fec1f7', '2026-11-18 16:35:46.728+00');
INSERT INTO "public"."schema_migrations" VALUES ('0027_manager.sql', '0b5bf6b2f1c63d6478809fecb07dc698b14cd6815fe1847debe2696f1e5327ce', '2026-11-18 16:35:46.744+00');
INSERT INTO "public"."schema_migrations" VALUES ('0028_changes_of_customers.sql', '82559e34b9d79cb088600b47a086267156e02ba42106a13c53c3c4f4fa6ee316', '2026-11-18 16:35:46.776+00');
INSERT INTO "public"."schema_migrations" VALUES ('0029_people.sql', '7615a7f317ed6c9cc47efbe63cfd3406be86f4fb620d1819cd1a5f3c49c5242c', '2026-11-18 16:35:46.779+00');
INSERT INTO "public"."schema_migrations" VALUES ('0030_openid_connect.sql', '87476231848c508f6af8d3f2e129226f9cfab57536c628077db9c25f3d1f83e1', '2026-11-18 16:35:46.796+00');
INSERT INTO "public"."schema_migrations" VALUES ('0031_changes_of_tanks.sql', '7c713f39dc6cb2de9f06385f05db27b8edf115c23cc380ee32b50a9d974202f2', '2026-11-18 16:35:46.848+00');
INSERT INTO "public"."schema_migrations" VALUES ('0032_batch_tanks.sql', '01fb24186beb43fb565f136d2a90e58964ce10d01f6b9b5608116abe60a5724e', '2026-11-18 16:35:46.852+00');
INSERT INTO "public"."schema_migrations" VALUES ('0033_changes_in_order.sql', '86a888507e9cb8a6091d40909aefedf4ffe34cc45bbcf45bce34bd3bcb1c1cbe', '2026-11-18 16:35:46.875+00');
INSERT INTO "public"."schema_migrations" VALUES ('0034_manage_devices.sql', 'dc5784a050249037e6d5ed785f1f9666bd624618f1df460b3557299a5d2c174c', '2026-11-18 16:35:46.876+00');
INSERT INTO "public"."schema_migrations" VALUES ('0035_manage_by_people.sql', '25e318e77c48938119f69c851f0ae0106120f163b47e3633488267399617af4d', '2026-11-18 16:35:46.88+00');
INSERT INTO "public"."schema_migrations" VALUES ('0036_tank_notes.sql', '17169e3ca003a1084b32e371f38910d12ae2111bcc836bb839b75457719ef7be', '2026-11-18 16:35:46.888+00');
INSERT INTO "public"."schema_migrations" VALUES ('0037_handling.sql', 'cd1170cba22c80e91474fb467e726d96b02d9f898b290293c7a6339bd6069fe7', '2026-11-18 16:35:46.909+00');
INSERT INTO "public"."schema_migrations" VALUES ('0038_handled_tanks.sql', 'a418ee436730aecbc9b9ece4268b722bb5b5d01797d693dcc288db184f7d06ec', '2026-11-18 16:35:47.042+00');
INSERT INTO "public"."schema_migrations" VALUES ('0039_keep_work_events.sql', '2d4cac9e0195fd81fbbb99fabb99b2d8466a9fe3a6bddc9edabd83f376c9f9ce', '2026-11-18 16:35:47.043+00');
INSERT INTO "public"."schema_migrations" VALUES ('0040_manage_contacts.sql', '802bb5d2155913c9bc1a2182b0c963b7d1c38d69a6582f925a1c2fb000c667a7', '2026-11-18 16:35:47.045+00');
INSERT INTO "public"."schema_migrations" VALUES ('0041_webhook_tests.sql', '0246fcbd2844da30043e78ef21881e054483ff0adb8c98017f15646ba11d5f4a', '2026-11-18 16:35:47.05+00');
INSERT INTO "public"."schema_migrations" VALUES ('0042_manage_webhooks.sql', '7cccde41fa45245f9ca0a82a8f0453ac4b3b1a55e9bb8008a0bca6a959aa7c7d', '2026-11-18 16:35:47.068+00');
INSERT INTO "public"."schema_migrations" VALUES ('0043_rounds.sql', '106e82e1c373f5c7de85e6d9bf067328d80f78b6d9253bf61118a6cabfc4746f', '2026-11-18 16:35:47.079+00');
INSERT INTO "public"."schema_migrations" VALUES ('0044_stops_of_deleted_tanks.sql', 'd83d9da1fdad3f473396d33d1ae13f94ef7f489e21d45730af0f66902601a35c', '2026-11-18 16:35:47.228+00');
INSERT INTO "public"."schema_migrations" VALUES ('0045_removed_drivers.sql', '73239534dd7ab008c5321c8b5d61590c63f6fe57454eb48ddc5a6575c4c18173', '2026-11-18 16:35:47.232+00');
INSERT INTO "public"."schema_migrations" VALUES ('0047_delivery_notes.sql', 'cc2a83e60657570d2a754892a0bd88f04f4ebf5a3a01a38386ea2ee32c019bea', '2026-11-18 16:35:47.237+00');
INSERT INTO "public"."schema_migrations" VALUES ('0048_refills_of_ledgers.sql', 'd3dcb7ede9aa8d6918807af2d6d896c052cb91d8129835f015cd8d1a927f062a', '2026-11-18 16:35:47.408+00');
INSERT INTO "public"."schema_migrations" VALUES ('0049_tanks_of_ledgers.sql', '48aa6ee2bbdfd38fdca8585228fa760e25af3309713e14484a7f88c4570a02e3', '2026-11-18 16:35:47.416+00');
INSERT INTO "public"."schema_migrations" VALUES ('0050_tanks_without_sensor.sql', '609fd7b19297e16a91c2154a46775c58dbdc281a3502fcf7d5dc38ac9d30dd31', '2026-11-18 16:35:47.42+00');
INSERT INTO "public"."schema_migrations" VALUES ('0051_dips_of_owners.sql', 'd3fe1d33f8efd36ccd98bc81bfe0b95216712775c57816692e67fcf95fb9c321', '2026-11-18 16:35:47.448+00');
INSERT INTO "public"."schema_migrations" VALUES ('0052_notes_of_estimated_tanks.sql', 'dd0609b226e4c04a1d129bfff2e7efb356cc8ac199e55976ad8ec1a2ac0460e8', '2026-11-18 16:35:47.453+00');
INSERT INTO "public"."schema_migrations" VALUES ('0053_driver_entries.sql', '30fcd5ed44f3d042f0e341075a71facfdee5ccd588d216788ea74faacc5dbe5c', '2026-11-18 16:35:47.464+00');
INSERT INTO "public"."schema_migrations" VALUES ('0054_entries_of_deleted_tanks.sql', '8a1922659d51df86c2f2b4665e291537cfc88713dd726e0576a8d160eb9e9f8b', '2026-11-18 16:35:47.51+00');
INSERT INTO "public"."schema_migrations" VALUES ('0055_notification_holds.sql', '13673e9c075b9de94400ae143dba6e966cb249fab2c186006de2dc4bca3ffb1a', '2026-11-18 16:35:47.52+00');
INSERT INTO "public"."schema_migrations" VALUES ('0056_retract_evaluation.sql', 'e16a62fb54cb76ea1ac36206d01314c26c8ea24c2595847bed871d6f8e1acf38', '2026-11-18 16:35:47.543+00');
INSERT INTO "public"."schema_migrations" VALUES ('0057_key_activity.sql', 'c882851b13259c6216971987c7786863b81b9cdec17477608b5e3aafa0e07756', '2026-11-18 16:35:47.554+00');
INSERT INTO "public"."schema_migrations" VALUES ('0058_erase_key_activity.sql', '915d57e6f1f5fb657f00b5afc842329833391fe31e9897929bea456b5ca39967', '2026-11-18 16:35:47.568+00');
INSERT INTO "public"."schema_migrations" VALUES ('0059_backups_and_drills.sql', 'f1583779757c15ee684ef83c1087a408a773278527302903ba7ad2284abb6d1b', '2026-11-18 16:35:47.572+00');
INSERT INTO "public"."schema_migrations" VALUES ('0060_dips_of_drivers.sql', '914107f3f6bee35632a2fc6facc602c1e2d70211d36f67d3b2fda3fe199bf273', '2026-11-18 16:35:47.592+00');
INSERT INTO "public"."schema_migrations" VALUES ('0061_validate_removals.sql', '0ac918083e9706223da06ec24ead21deaa5ee2b23351a43d36e2672fbbcd7780', '2026-11-18 16:35:47.605+00');
INSERT INTO "public"."schema_migrations" VALUES ('0062_believable_times.sql', '696b24fbadd924e19c8f58182df46536acf94cc87ab656fdc7f0faa86f8f5369', '2026-11-18 16:35:47.608+00');
INSERT INTO "public"."schema_migrations" VALUES ('0063_what_a_driver_link_may_do.sql', 'e942195d033835bfe433228bc9bee70eb5bd17f3ee64ed3d6c1f2e9054a08b51', '2026-11-18 16:35:47.628+00');
INSERT INTO "public"."schema_migrations" VALUES ('0064_entries_of_a_round.sql', '6f0fc41b98ffb805473c64d8b787d93321119eecb3000f196cdbe9c7ceafae7e', '2026-11-18 16:35:47.656+00');
INSERT INTO "public"."schema_migrations" VALUES ('0065_believable_order.sql', '5287b35a8920c96c28e7cce1cbba57d2d905500379db19db0e0ec0aed9be4453', '2026-11-18 16:35:47.663+00');
INSERT INTO "public"."schema_migrations" VALUES ('0068_quotas.sql', '89de3c1a88bdf0ae2dda052c56d6e54c29190ec5b022cd1d8828936dea47140c', '2026-11-18 16:35:47.721+00');
INSERT INTO "public"."schema_migrations" VALUES ('0070_plan_for_large_organizations.sql', 'a09c87a52be6f045853d9160238e186816b0de360e52784d274a3757402e0dd9', '2026-11-18 16:35:47.763+00');
INSERT INTO "public"."schema_migrations" VALUES ('0071_analyze_large_organizations.sql', '9eb8a78a7091d51a501ec1b17622d16a0fee5eca5e4c2cff05e903c3f96de49b', '2026-11-18 16:35:47.772+00');
INSERT INTO "public"."schema_migrations" VALUES ('0072_mail_jobs.sql', 'e4ec02776fd12e5f5736737573d8675cb93038a48fa39cf4d47cd01482716367', '2026-11-18 16:35:47.785+00');
INSERT INTO "public"."schema_migrations" VALUES ('0073_quiet_jobs_and_polls.sql', '141cfd839ccdf03dbaa130f8931a7d43d9589ec9b50627f3c40a4c9b328ec084', '2026-11-18 16:35:47.865+00');
INSERT INTO "public"."schema_migrations" VALUES ('0074_what_is_due.sql', '9454fd3fdb73fd2128ce084d62a581bb232da733b4513dbca53a465182b49a47', '2026-11-18 16:35:48.057+00');
INSERT INTO "public"."schema_migrations" VALUES ('0075_numbers_of_deliveries.sql', '8363721b37a986d747f5516ae3cd0124c11c4cb0bd45dffce04e5d7469ecd976', '2026-11-18 16:35:48.059+00');
INSERT INTO "public"."schema_migrations" VALUES ('0076_route_tags.sql', '8b85919ae37cdf8aee4cc5800694ed18b01903dcb86a2649d73376745a8bb441', '2026-11-18 16:35:48.357+00');
INSERT INTO "public"."schema_migrations" VALUES ('0077_years_of_month_counters.sql', 'e25e34b51bd9b561f2e08a0e8068b19266c5ca89103c714ddb4a23da06ca83bc', '2026-11-18 16:35:48.386+00');
INSERT INTO "public"."schema_migrations" VALUES ('0078_partition_month_counters.sql', 'd49dce173d73ae937147d6e6be3345122eb265bfa65eb90d63b29451cf0feaba', '2026-11-18 16:35:48.437+00');
INSERT INTO "public"."schema_migrations" VALUES ('0079_erase_answers_of_contacts_and_notes.sql', 'ba51cf0083433eaeb181cd9cc076f8470cc43ad79999e127ce6e92ade771707a', '2026-11-18 16:35:48.441+00');
INSERT INTO "public"."schema_migrations" VALUES ('0080_drop_search_of_0_2.sql', '28d63e6b522948da37609742fe3bd18116bca41747458ac8eff6907c735a90bb', '2026-11-18 16:35:48.467+00');
INSERT INTO "public"."schema_migrations" VALUES ('0081_faster_search_texts.sql', '5316cbbbc020898cb2fd43ad1bcf94644ddf13a06c1b895e4708aeceb8b9417b', '2026-11-18 16:35:48.468+00');
INSERT INTO "public"."schema_migrations" VALUES ('0082_open_stops_follow_levels.sql', 'ada953d5aa339d6837e73477df87a745e9a1747b957cc45e768d6d70c4886e57', '2026-11-18 16:35:48.525+00');
INSERT INTO "public"."schema_migrations" VALUES ('0084_count_before_deletion.sql', 'c2d6d99f9ab7ca487b53b5dcb048e07b629a96ff5f96b1296bb35bd8f932b296', '2026-11-18 16:35:48.548+00');
INSERT INTO "public"."schema_migrations" VALUES ('0085_similar_names.sql', '5eaac6f694b95ef173d1c9fba8246e11882f900423861e698b0ed75d67fc52fd', '2026-11-18 16:35:48.586+00');
INSERT INTO "public"."schema_migrations" VALUES ('0086_steps_of_driver_entries.sql', 'f2415243643aed6204f51b6dd9c7d415fc4da2a1d9faa98f04050792ea85eefd', '2026-11-18 16:35:48.625+00');
INSERT INTO "public"."schema_migrations" VALUES ('0088_former_notes.sql', 'aa3d4a435f2a31de1fd01a7e4cf7ccc690342b87d81aa2709c75d84dc0fdd97b', '2026-11-18 16:35:48.689+00');
INSERT INTO "public"."schema_migrations" VALUES ('0089_scores_every_night.sql', '8732b6e43f84ee23ce360f2ce3b2157a2f36c7853c2712d1998c889dba259825', '2026-11-18 16:35:48.728+00');
INSERT INTO "public"."schema_migrations" VALUES ('0090_imports.sql', 'bd701f66d64244c285b9967ae19488e5cdc7be645c1f7721e74b3b2848ee9a36', '2026-11-18 16:35:48.733+00');
INSERT INTO "public"."schema_migrations" VALUES ('0092_entries_of_the_office.sql', '1e46773e5f46288cfdab1ed866e474ae1b10e5459e73125da0edf2684d8ff9c6', '2026-11-18 16:35:48.802+00');
INSERT INTO "public"."schema_migrations" VALUES ('0093_words_of_stops.sql', '9517b2cccf51f2146c348820fc3742da4fe5500c006ce3412361a7e0d40c222a', '2026-11-18 16:35:48.808+00');
INSERT INTO "public"."schema_migrations" VALUES ('0094_invitations.sql', '7c922accaafe8685869183804180eea9e1e5809e2e8d6abc16929b82b54e6a07', '2026-11-18 16:35:48.82+00');
INSERT INTO "public"."schema_migrations" VALUES ('0095_invitations_of_contacts.sql', '41497c5c890f67352ce196d0a50fdf3b3a5e0f055b760a7d3f7ca459c267d809', '2026-11-18 16:35:48.833+00');
INSERT INTO "public"."schema_migrations" VALUES ('0096_timelines_and_devices.sql', '3e41b43ad6209b03be7407f3eb0cc3ff235cdab9da116b03236b59c4ae200ede', '2026-11-18 16:35:48.835+00');
INSERT INTO "public"."schema_migrations" VALUES ('0097_search_words.sql', '22ccd5d503ffb21d206c3db6aa0678a2ebffaf361b0712aba87456c2b55a9ffc', '2026-11-18 16:35:48.853+00');
INSERT INTO "public"."schema_migrations" VALUES ('0098_fill_search_words.sql', 'e4a05b0e0a551cba1fe4789cfeab2837a8b302157d42537ac050dd2776e603e0', '2026-11-18 16:35:48.872+00');
INSERT INTO "public"."schema_migrations" VALUES ('0099_doubts_of_ledgers.sql', '426ca769ea8fa6f47d87fde6e3c79b5c14e1432ad461c157a43af1c43d3141fa', '2026-11-18 16:35:48.875+00');
INSERT INTO "public"."schema_migrations" VALUES ('0100_report_intervals_and_mobile_tanks.sql', '21037fa92e00779caf4dabf954a2baf4faf107e39d27829977bb3eb08ac7dc20', '2026-11-18 16:35:48.877+00');
INSERT INTO "public"."schema_migrations" VALUES ('0103_plans_of_event_types.sql', '221a691b4c0fbb2ac1707e56302818a40b9cc1adbc1e8572318daaee25ea72fc', '2026-11-18 16:35:48.884+00');
INSERT INTO "public"."schema_migrations" VALUES ('0104_products_of_tanks.sql', 'a380120c28992fc779cad44deede51c96d38aeccd5171d1d9d507c9244133ff5', '2026-11-18 16:35:48.886+00');
INSERT INTO "public"."schema_migrations" VALUES ('0105_products_of_organizations.sql', '521959561436a17fb27dc1d6821d6ad34df54e0c21939a25fb502eeb81ad4f5b', '2026-11-18 16:35:48.892+00');
INSERT INTO "public"."schema_migrations" VALUES ('0106_gauge_profiles.sql', 'cb171283908153f04819531d2e7ffcb59795e7acf034ecd0c1f1b1b860eed6c9', '2026-11-18 16:35:48.897+00');
INSERT INTO "public"."schema_migrations" VALUES ('0108_gauge_values.sql', '90a98cd2e2dc2c0c1f0f6e227357b7342ebe18bf4ef703117b3b5e2280e422af', '2026-11-18 16:35:48.979+00');
INSERT INTO "public"."schema_migrations" VALUES ('0109_contents_of_tanks.sql', '36c59959083a22386a6998e51c68ee422072ebaf72a6422cbdad916b42269a6f', '2026-11-18 16:35:48.985+00');
INSERT INTO "public"."schema_migrations" VALUES ('0110_tank_gauges.sql', 'd6982dc8f031da6d79dd957a8818b988471fdbec1d747fcf7ec651c53a254092', '2026-11-18 16:35:48.992+00');
INSERT INTO "public"."schema_migrations" VALUES ('0111_levels_changed_at.sql', '064cd439e3e07d83926b789f19119c49b94aa8b87ec2425874b1475d69e47eb2', '2026-11-18 16:35:49.017+00');
INSERT INTO "public"."schema_migrations" VALUES ('0112_device_health.sql', '3622c61526d39592adc95f10fbc3ea027e18f129de5527c7462648829ab88166', '2026-11-18 16:35:49.031+00');
INSERT INTO "public"."schema_migrations" VALUES ('0113_unusual_use.sql', '51b9158b34ede24d035a0ebc877f90ac9e4751ad345d544ac6b23dfec91fbac9', '2026-11-18 16:35:49.072+00');
INSERT INTO "public"."schema_migrations" VALUES ('0114_tanks_with_unusual_use.sql', 'e5b7a416aaa7c2e07be19cf825a72b489b87dca47556884f608149c80dae70f6', '2026-11-18 16:35:49.12+00');
INSERT INTO "public"."schema_migrations" VALUES ('0115_rights_of_the_office.sql', 'bbe9b00ad77a9bb933be9d01e057630c7e44a05699c7b16e9b69bdccf5752e52', '2026-11-18 16:35:49.132+00');
INSERT INTO "public"."schema_migrations" VALUES ('0116_phones_and_mappings.sql', '486b076720988c5caaaad62e18f8f53184cc63068d73b0bcb8e3110ceb874775', '2026-11-18 16:35:49.142+00');
INSERT INTO "public"."schema_migrations" VALUES ('0118_events_of_devices.sql', 'e49b290cdc8b764cf9be6296828ec6e73977e6244374f01a254e7f5c37feb3aa', '2026-11-18 16:35:49.164+00');
INSERT INTO "public"."schema_migrations" VALUES ('0119_check_types_of_events.sql', 'e16f83a7b110971e3587e806256fd9fd3268551d0bdeb131a52186140de278ff', '2026-11-18 16:35:49.172+00');
INSERT INTO "public"."schema_migrations" VALUES ('0123_rights_of_commissioning.sql', '60dbb06ccba5eddb5b0a2cc8affff0beae16f085a46be37acf60613911af0367', '2026-11-18 16:35:49.181+00');
INSERT INTO "public"."schema_migrations" VALUES ('0126_order_thresholds.sql', 'a7f3d3841f028c6d62aa61ae2b368ac88a4e4051f6997e8f6d3faafd07787af6', '2026-11-18 16:35:49.196+00');
INSERT INTO "public"."schema_migrations" VALUES ('0127_orders_due.sql', 'c29e27b1eeb9cc69543ea5079b6731b73e4b14e46819b3f13687164d914a12e3', '2026-11-18 16:35:49.208+00');
INSERT INTO "public"."schema_migrations" VALUES ('0128_tanks_to_order.sql', '75e619721ef4ea03a5d94813051b48c72dfc53e3791b472c4956ae347de31ae6', '2026-11-18 16:35:49.24+00');
INSERT INTO "public"."schema_migrations" VALUES ('0129_products_of_notes.sql', '71d68eb64f25ca8d73df7b3a2b9ff06e369412bcbb9c1725257dadc441ff0bb4', '2026-11-18 16:35:49.241+00');
INSERT INTO "public"."schema_migrations" VALUES ('0132_devices_taken_on_and_all_phones.sql', 'd03d86ddc1264861476f1f6aaf5faf0577679484eefc606c5fe69cf63608f139', '2026-11-18 16:35:49.244+00');
INSERT INTO "public"."schema_migrations" VALUES ('0133_who_commissioned.sql', 'c922cd0e43b107a7c09923db5dc8500c245ce42798fcbd09660ba6f72995c0c1', '2026-11-18 16:35:49.316+00');
INSERT INTO "public"."schema_migrations" VALUES ('0134_connectors.sql', 'a2efa2891ba6b865e59aa34f5044840ee5792748ac5c9376c6a05f784bdc6e0b', '2026-11-18 16:35:49.321+00');
INSERT INTO "public"."schema_migrations" VALUES ('0135_validated_conditions.sql', '848c699e23df566a05979430b69f019dd98d988358620ab07aa7b9b07fac0746', '2026-11-18 16:35:49.464+00');
INSERT INTO "public"."schema_migrations" VALUES ('0140_deleted_webhooks.sql', '990a4b6f94495535c812f87ae1a1aea4602fa76601e7bb001bdab4c51e934abf', '2026-11-18 16:35:49.466+00');
INSERT INTO "public"."schema_migrations" VALUES ('0141_duty_plans.sql', '2c9f551d81bcc0e98fe4575cd998f0c3fbb4fcfa4b09fb2e10026e9572eafd88', '2026-11-18 16:35:49.472+00');
INSERT INTO "public"."schema_migrations" VALUES ('0142_texts.sql', 'ed60881216232ece811fb1c045ff10397ef4c9a5e229b8a5fdfb99bdb5b7d4d2', '2026-11-18 16:35:49.488+00');
INSERT INTO "public"."schema_migrations" VALUES ('0143_escalations.sql', '7cb792ad2095a2d9fca4bd6db13d832ade428c7c214fe4cd25252c1ff08254e0', '2026-11-18 16:35:49.575+00');
INSERT INTO "public"."schema_migrations" VALUES ('0146_secrets_and_outages_of_sources.sql', '82cdbcacae7a4a7ff98008a5eb78fe6460a6538b0c6201930aeca4b41ff489ec', '2026-11-18 16:35:49.67+00');
INSERT INTO "public"."schema_migrations" VALUES ('0147_events_of_sources.sql', '748cebf789d8ac5569f4c664ad8a0a69cde8ec0b1fa1bf2a1cd3e5da139511db', '2026-11-18 16:35:49.709+00');
INSERT INTO "public"."schema_migrations" VALUES ('0148_check_types_of_events.sql', '2fbf49bfd555102e4b5c367bb6d084f636b1501ba3e35ba679eeef68debd5564', '2026-11-18 16:35:49.72+00');
INSERT INTO "public"."schema_migrations" VALUES ('0150_reading_batches.sql', 'a60703714d4f0c0afd78a8e79e5b916549377fe947f509e510200c7a36ed9c56', '2026-11-18 16:35:49.724+00');
INSERT INTO "public"."schema_migrations" VALUES ('0151_changes_of_rounds.sql', '39541a005dd554528d3f9e43a08edac50bb4a914e00bffaa2334fd19d350b795', '2026-11-18 16:35:49.749+00');
INSERT INTO "public"."schema_migrations" VALUES ('0152_changes_of_delivery_notes.sql', '49304c583b88df8b45b3e07bc4ca49456ffaaacbd82947ae7d58e35a3269dc2e', '2026-11-18 16:35:49.774+00');
INSERT INTO "public"."schema_migrations" VALUES ('0153_changes_of_deliveries_in_order.sql', '71cb9840a60ee1515f9ef2636f83e2ea985bdfa2a0bfc0206ab58c3315e478f8', '2026-11-18 16:35:49.828+00');
INSERT INTO "public"."schema_migrations" VALUES ('0154_secrets_of_deleted_webhooks.sql', '33011100b378a17b78d06e14d0ee22c7831cfa655ac9de8e6ae2bd0c45acc4ae', '2026-11-18 16:35:49.832+00');
INSERT INTO "public"."schema_migrations" VALUES ('0159_reading_followers.sql', 'd7bb236616b18a50787161e68e790529f513d435097b2ad09718078ad13c045d', '2026-11-18 16:35:49.836+00');
INSERT INTO "public"."schema_migrations" VALUES ('0160_replays_of_writers.sql', '65505d1677aa563c1c118fd9ce96d1607698042f386e864b4a2cd77e393b6024', '2026-11-18 16:35:49.842+00');
INSERT INTO "public"."schema_migrations" VALUES ('0168_weather_and_brokers_of_users.sql', '039530b9f207d2e04f4817513d46c2139b3b69c59bdb0a8c01fe0c69e24f6e12', '2026-11-18 16:35:49.848+00');
INSERT INTO "public"."schema_migrations" VALUES ('0173_own_numbers_of_tanks.sql', '5ec1b5d67d7f97620711d3e847f97b22a339b8146ed589db8e4a81f3d53ada32', '2026-11-18 16:35:49.85+00');
INSERT INTO "public"."schema_migrations" VALUES ('0174_own_numbers_of_trucks.sql', 'ec689e8ebbe94c6da59147fea848b3424babc4e64d230a681892d98f0b3616c5', '2026-11-18 16:35:49.912+00');
INSERT INTO "public"."schema_migrations" VALUES ('0175_references_and_removals.sql', '030236c40eec784c38dcf1729b5f2898ee14c1a930af9e3c76b6acf79ca25f76', '2026-11-18 16:35:49.922+00');
INSERT INTO "public"."schema_migrations" VALUES ('0176_own_numbers_are_unique.sql', 'f8fecde0699e591148c8ac2c3773e6092677d714288c74ff79c61fc7514d18c2', '2026-11-18 16:35:50.465+00');
INSERT INTO "public"."schema_migrations" VALUES ('0177_web_push.sql', '0de21fd52c058f99ddc581c48b154b27610ac0b78777e41db6040ecdc4f3282b', '2026-11-18 16:35:50.466+00');
INSERT INTO "public"."schema_migrations" VALUES ('0178_channels_by_severity.sql', '5c6b0bb559664df9518afd146b25c07f679e4800053a51a6be2d3351d72cb922', '2026-11-18 16:35:50.906+00');
INSERT INTO "public"."schema_migrations" VALUES ('0179_one_text_per_event.sql', '78aab19be58366bbcbabe9a9aa857663cb60c74c5a95905f805102d6ad00ea98', '2026-11-18 16:35:50.949+00');
INSERT INTO "public"."schema_migrations" VALUES ('0183_deliveries_of_changes.sql', '81b2512041398fa8042ecc29b2e01fcd91de1abc089cb526bfeddbcec3ade6a3', '2026-11-18 16:35:50.951+00');
INSERT INTO "public"."schema_migrations" VALUES ('0184_followers_of_changes.sql', 'f70967d5de74e33b0945e44c7f1b7cd09b815ebedd20be6a612545e2bed88a50', '2026-11-18 16:35:50.955+00');
INSERT INTO "public"."schema_migrations" VALUES ('0185_deliveries_in_order.sql', '825900145048c2c296f3988305d0ec3526566a9cbe1768d839b522a487d11135', '2026-11-18 16:35:51.046+00');
INSERT INTO "public"."schema_migrations" VALUES ('0189_check_deliveries.sql', '345ec9ac1fa6320e7e18de6aa9a2d272fd6840d94b92b96f62b669ea45ce57b7', '2026-11-18 16:35:51.046+00');
INSERT INTO "public"."schema_migrations" VALUES ('0191_rights_to_tell_now.sql', 'f15afecc0ff519f7faa2a82d51c53f9042ac73b26d7f6e1f37262249e45654c8', '2026-11-18 16:35:51.048+00');
INSERT INTO "public"."schema_migrations" VALUES ('0192_hours_of_sources.sql', '578ad51e4fe6f2aafea6ffd57054c54e7a71f7af5a4723920cc1639a93050fde', '2026-11-18 16:35:51.054+00');
INSERT INTO "public"."schema_migrations" VALUES ('0193_broker_cleanups.sql', 'ae2d1335b3f2183b077774c262f5a1ed47f6d81753654141612472dfc0e2de9f', '2026-11-18 16:35:51.057+00');
INSERT INTO "public"."schema_migrations" VALUES ('0195_proven_browsers.sql', '067bfa07cf05380cc9676346f9296d8797ed32dff400d4fa94597ef3529ec636', '2026-11-18 16:35:51.065+00');
INSERT INTO "public"."schema_migrations" VALUES ('0197_levels_of_imports.sql', '114050c4fe9a7b49b55f980ff9a3699d217828358dcb16da6f96463f40540227', '2026-11-18 16:35:51.076+00');
INSERT INTO "public"."schema_migrations" VALUES ('0200_dips_by_organization.sql', 'dc73a08c449347c01db08a9828e1547f43e0c552d4466b2f438b71557cd6890d', '2026-11-18 16:35:51.084+00');

--
-- Data for Name: search_words; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: seen_refills; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: sessions; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: sign_ins; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: stream_positions; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: tank_checkpoints; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: tank_gauges; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: tank_notes; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: tank_outages; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: tank_settings_history; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: tank_states; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: tank_texts; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: tank_weather; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: tanks; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_01; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_02; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_03; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_04; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_05; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_06; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_07; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_08; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_09; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_10; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_11; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_12; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_13; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_14; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_15; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_16; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_17; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_18; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_19; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_20; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_21; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_22; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_23; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_24; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_25; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_26; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_27; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_28; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_29; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_2026_11_30; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_buckets; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_month_counters_2026; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_month_counters_2027; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: telemetry_month_counters_earlier; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: text_channels; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: text_jobs; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: text_usage; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: texts; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: trucks; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: waiting_dips; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: webhook_deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: webhook_endpoints; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: webhook_followers; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: webhook_tests; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Name: job_queues_id_seq; Type: SEQUENCE SET; Schema: graphile_worker; Owner: -
--

SELECT pg_catalog.setval('"graphile_worker"."job_queues_id_seq"', 1, false);

--
-- Name: jobs_id_seq1; Type: SEQUENCE SET; Schema: graphile_worker; Owner: -
--

SELECT pg_catalog.setval('"graphile_worker"."jobs_id_seq1"', 1, false);

--
-- Name: tasks_id_seq; Type: SEQUENCE SET; Schema: graphile_worker; Owner: -
--

SELECT pg_catalog.setval('"graphile_worker"."tasks_id_seq"', 1, false);

--
-- Name: acknowledgements_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."acknowledgements_no_seq"', 1, false);

--
-- Name: api_keys_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."api_keys_no_seq"', 1, false);

--
-- Name: audit_log_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."audit_log_no_seq"', 1, false);

--
-- Name: connectors_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."connectors_no_seq"', 1, false);

--
-- Name: contacts_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."contacts_no_seq"', 1, false);

--
-- Name: customers_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."customers_no_seq"', 1, false);

--
-- Name: delivery_days_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."delivery_days_no_seq"', 1, false);

--
-- Name: delivery_notes_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."delivery_notes_no_seq"', 1, false);

--
-- Name: depots_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."depots_no_seq"', 1, false);

--
-- Name: device_credentials_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."device_credentials_no_seq"', 1, false);

--
-- Name: driver_entries_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."driver_entries_no_seq"', 1, false);

--
-- Name: drivers_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."drivers_no_seq"', 1, false);

--
-- Name: duty_plans_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."duty_plans_no_seq"', 1, false);

--
-- Name: escalation_jobs_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."escalation_jobs_no_seq"', 1, false);

--
-- Name: escalations_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."escalations_no_seq"', 1, false);

--
-- Name: event_mails_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."event_mails_no_seq"', 1, false);

--
-- Name: events_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."events_no_seq"', 1, false);

--
-- Name: failed_mails_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."failed_mails_no_seq"', 1, false);

--
-- Name: feed_removals_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."feed_removals_no_seq"', 1, false);

--
-- Name: former_notes_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."former_notes_no_seq"', 1, false);

--
-- Name: gauge_profiles_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."gauge_profiles_no_seq"', 1, false);

--
-- Name: identities_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."identities_no_seq"', 1, false);

--
-- Name: imports_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."imports_no_seq"', 1, false);

--
-- Name: issuers_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."issuers_no_seq"', 1, false);

--
-- Name: ledger_marks_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."ledger_marks_no_seq"', 1, false);

--
-- Name: mail_jobs_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."mail_jobs_no_seq"', 1, false);

--
-- Name: mutes_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."mutes_no_seq"', 1, false);

--
-- Name: note_pins_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."note_pins_no_seq"', 1, false);

--
-- Name: notification_holds_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."notification_holds_no_seq"', 1, false);

--
-- Name: organizations_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."organizations_no_seq"', 1, false);

--
-- Name: places_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."places_no_seq"', 1, false);

--
-- Name: profile_assignments_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."profile_assignments_no_seq"', 1, false);

--
-- Name: push_jobs_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."push_jobs_no_seq"', 1, false);

--
-- Name: push_subscriptions_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."push_subscriptions_no_seq"', 1, false);

--
-- Name: pushes_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."pushes_no_seq"', 1, false);

--
-- Name: reading_batches_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."reading_batches_no_seq"', 1, false);

--
-- Name: rejected_readings_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."rejected_readings_no_seq"', 1, false);

--
-- Name: restore_drills_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."restore_drills_no_seq"', 1, false);

--
-- Name: round_stops_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."round_stops_no_seq"', 1, false);

--
-- Name: rounds_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."rounds_no_seq"', 1, false);

--
-- Name: sessions_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."sessions_no_seq"', 1, false);

--
-- Name: sign_ins_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."sign_ins_no_seq"', 1, false);

--
-- Name: tank_notes_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."tank_notes_no_seq"', 1, false);

--
-- Name: tanks_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."tanks_no_seq"', 1, false);

--
-- Name: text_channels_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."text_channels_no_seq"', 1, false);

--
-- Name: text_jobs_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."text_jobs_no_seq"', 1, false);

--
-- Name: texts_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."texts_no_seq"', 1, false);

--
-- Name: trucks_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."trucks_no_seq"', 1, false);

--
-- Name: waiting_dips_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."waiting_dips_no_seq"', 1, false);

--
-- Name: webhook_deliveries_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."webhook_deliveries_no_seq"', 1, false);

--
-- Name: webhook_endpoints_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."webhook_endpoints_no_seq"', 1, false);

--
-- Name: _private_job_queues job_queues_pkey1; Type: CONSTRAINT; Schema: graphile_worker; Owner: -
--

ALTER TABLE ONLY "graphile_worker"."_private_job_queues"
    ADD CONSTRAINT "job_queues_pkey1" PRIMARY KEY ("id");

--
-- Name: _private_job_queues job_queues_queue_name_key; Type: CONSTRAINT; Schema: graphile_worker; Owner: -
--

ALTER TABLE ONLY "graphile_worker"."_private_job_queues"
    ADD CONSTRAINT "job_queues_queue_name_key" UNIQUE ("queue_name");

--
-- Name: _private_jobs jobs_key_key1; Type: CONSTRAINT; Schema: graphile_worker; Owner: -
--

ALTER TABLE ONLY "graphile_worker"."_private_jobs"
    ADD CONSTRAINT "jobs_key_key1" UNIQUE ("key");

--
-- Name: _private_jobs jobs_pkey1; Type: CONSTRAINT; Schema: graphile_worker; Owner: -
--

ALTER TABLE ONLY "graphile_worker"."_private_jobs"
    ADD CONSTRAINT "jobs_pkey1" PRIMARY KEY ("id");

--
-- Name: _private_known_crontabs known_crontabs_pkey; Type: CONSTRAINT; Schema: graphile_worker; Owner: -
--

ALTER TABLE ONLY "graphile_worker"."_private_known_crontabs"
    ADD CONSTRAINT "known_crontabs_pkey" PRIMARY KEY ("identifier");

--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: graphile_worker; Owner: -
--

ALTER TABLE ONLY "graphile_worker"."migrations"
    ADD CONSTRAINT "migrations_pkey" PRIMARY KEY ("id");

--
-- Name: _private_tasks tasks_identifier_key; Type: CONSTRAINT; Schema: graphile_worker; Owner: -
--

ALTER TABLE ONLY "graphile_worker"."_private_tasks"
    ADD CONSTRAINT "tasks_identifier_key" UNIQUE ("identifier");

--
-- Name: _private_tasks tasks_pkey; Type: CONSTRAINT; Schema: graphile_worker; Owner: -
--

ALTER TABLE ONLY "graphile_worker"."_private_tasks"
    ADD CONSTRAINT "tasks_pkey" PRIMARY KEY ("id");

--
-- Name: acknowledgements acknowledgements_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."acknowledgements"
    ADD CONSTRAINT "acknowledgements_id_key" UNIQUE ("id");

--
-- Name: acknowledgements acknowledgements_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."acknowledgements"
    ADD CONSTRAINT "acknowledgements_pkey" PRIMARY KEY ("no");

--
-- Name: alert_scores alert_scores_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."alert_scores"
    ADD CONSTRAINT "alert_scores_pkey" PRIMARY KEY ("organization_no");

--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."api_keys"
    ADD CONSTRAINT "api_keys_pkey" PRIMARY KEY ("no");

--
-- Name: api_keys api_keys_prefix_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."api_keys"
    ADD CONSTRAINT "api_keys_prefix_key" UNIQUE ("prefix");

--
-- Name: audit_log audit_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."audit_log"
    ADD CONSTRAINT "audit_log_pkey" PRIMARY KEY ("no");

--
-- Name: broker_cleanups broker_cleanups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."broker_cleanups"
    ADD CONSTRAINT "broker_cleanups_pkey" PRIMARY KEY ("connector_no");

--
-- Name: catalog_buckets catalog_buckets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."catalog_buckets"
    ADD CONSTRAINT "catalog_buckets_pkey" PRIMARY KEY ("list", "scope_no", "starts_at", "starts_no");

--
-- Name: catalog_month_counters catalog_month_counters_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."catalog_month_counters"
    ADD CONSTRAINT "catalog_month_counters_pkey" PRIMARY KEY ("list", "scope_no", "month");

--
-- Name: change_epochs change_epochs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."change_epochs"
    ADD CONSTRAINT "change_epochs_pkey" PRIMARY KEY ("is_only");

--
-- Name: connector_devices connector_devices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."connector_devices"
    ADD CONSTRAINT "connector_devices_pkey" PRIMARY KEY ("connector_no", "device_id");

--
-- Name: connector_states connector_states_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."connector_states"
    ADD CONSTRAINT "connector_states_pkey" PRIMARY KEY ("connector_no");

--
-- Name: connectors connectors_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."connectors"
    ADD CONSTRAINT "connectors_id_key" UNIQUE ("id");

--
-- Name: connectors connectors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."connectors"
    ADD CONSTRAINT "connectors_pkey" PRIMARY KEY ("no");

--
-- Name: contact_reach contact_reach_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."contact_reach"
    ADD CONSTRAINT "contact_reach_pkey" PRIMARY KEY ("no");

--
-- Name: contacts contacts_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."contacts"
    ADD CONSTRAINT "contacts_id_key" UNIQUE ("id");

--
-- Name: contacts contacts_organization_no_email_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."contacts"
    ADD CONSTRAINT "contacts_organization_no_email_key" UNIQUE ("organization_no", "email");

--
-- Name: contacts contacts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."contacts"
    ADD CONSTRAINT "contacts_pkey" PRIMARY KEY ("no");

--
-- Name: counter_check counter_check_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."counter_check"
    ADD CONSTRAINT "counter_check_pkey" PRIMARY KEY ("is_only_row");

--
-- Name: customer_texts customer_texts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."customer_texts"
    ADD CONSTRAINT "customer_texts_pkey" PRIMARY KEY ("no");

--
-- Name: customers customers_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."customers"
    ADD CONSTRAINT "customers_id_key" UNIQUE ("id");

--
-- Name: customers customers_organization_no_no_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."customers"
    ADD CONSTRAINT "customers_organization_no_no_key" UNIQUE ("organization_no", "no");

--
-- Name: customers customers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."customers"
    ADD CONSTRAINT "customers_pkey" PRIMARY KEY ("no");

--
-- Name: daily_uses daily_uses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."daily_uses"
    ADD CONSTRAINT "daily_uses_pkey" PRIMARY KEY ("organization_no", "day", "what");

--
-- Name: delivery_days delivery_days_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."delivery_days"
    ADD CONSTRAINT "delivery_days_pkey" PRIMARY KEY ("no");

--
-- Name: delivery_notes delivery_notes_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."delivery_notes"
    ADD CONSTRAINT "delivery_notes_id_key" UNIQUE ("id");

--
-- Name: delivery_notes delivery_notes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."delivery_notes"
    ADD CONSTRAINT "delivery_notes_pkey" PRIMARY KEY ("no");

--
-- Name: depots depots_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."depots"
    ADD CONSTRAINT "depots_id_key" UNIQUE ("id");

--
-- Name: depots depots_organization_no_no_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."depots"
    ADD CONSTRAINT "depots_organization_no_no_key" UNIQUE ("organization_no", "no");

--
-- Name: depots depots_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."depots"
    ADD CONSTRAINT "depots_pkey" PRIMARY KEY ("no");

--
-- Name: device_assignments device_assignments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."device_assignments"
    ADD CONSTRAINT "device_assignments_pkey" PRIMARY KEY ("organization_no", "device_id", "from_at");

--
-- Name: device_credentials device_credentials_organization_no_device_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."device_credentials"
    ADD CONSTRAINT "device_credentials_organization_no_device_id_key" UNIQUE ("organization_no", "device_id");

--
-- Name: device_credentials device_credentials_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."device_credentials"
    ADD CONSTRAINT "device_credentials_pkey" PRIMARY KEY ("no");

--
-- Name: device_health device_health_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."device_health"
    ADD CONSTRAINT "device_health_pkey" PRIMARY KEY ("organization_no", "device_id");

--
-- Name: device_mails device_mails_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."device_mails"
    ADD CONSTRAINT "device_mails_pkey" PRIMARY KEY ("contact_no", "type");

--
-- Name: device_password_issues device_password_issues_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."device_password_issues"
    ADD CONSTRAINT "device_password_issues_pkey" PRIMARY KEY ("organization_no", "device_id");

--
-- Name: digests digests_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."digests"
    ADD CONSTRAINT "digests_pkey" PRIMARY KEY ("contact_no", "day");

--
-- Name: driver_entries driver_entries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."driver_entries"
    ADD CONSTRAINT "driver_entries_pkey" PRIMARY KEY ("no");

--
-- Name: drivers drivers_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."drivers"
    ADD CONSTRAINT "drivers_id_key" UNIQUE ("id");

--
-- Name: drivers drivers_organization_no_no_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."drivers"
    ADD CONSTRAINT "drivers_organization_no_no_key" UNIQUE ("organization_no", "no");

--
-- Name: drivers drivers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."drivers"
    ADD CONSTRAINT "drivers_pkey" PRIMARY KEY ("no");

--
-- Name: duty_plans duty_plans_organization_no_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."duty_plans"
    ADD CONSTRAINT "duty_plans_organization_no_key" UNIQUE ("organization_no");

--
-- Name: duty_plans duty_plans_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."duty_plans"
    ADD CONSTRAINT "duty_plans_pkey" PRIMARY KEY ("no");

--
-- Name: erased_deliveries erased_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."erased_deliveries"
    ADD CONSTRAINT "erased_deliveries_pkey" PRIMARY KEY ("organization_no", "truck_no");

--
-- Name: escalation_jobs escalation_jobs_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."escalation_jobs"
    ADD CONSTRAINT "escalation_jobs_key_key" UNIQUE ("key");

--
-- Name: escalation_jobs escalation_jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."escalation_jobs"
    ADD CONSTRAINT "escalation_jobs_pkey" PRIMARY KEY ("no");

--
-- Name: escalations escalations_event_no_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."escalations"
    ADD CONSTRAINT "escalations_event_no_key" UNIQUE ("event_no");

--
-- Name: escalations escalations_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."escalations"
    ADD CONSTRAINT "escalations_id_key" UNIQUE ("id");

--
-- Name: escalations escalations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."escalations"
    ADD CONSTRAINT "escalations_pkey" PRIMARY KEY ("no");

--
-- Name: estimated_tanks estimated_tanks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."estimated_tanks"
    ADD CONSTRAINT "estimated_tanks_pkey" PRIMARY KEY ("tank_no");

--
-- Name: event_mails event_mails_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."event_mails"
    ADD CONSTRAINT "event_mails_pkey" PRIMARY KEY ("no");

--
-- Name: events events_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."events"
    ADD CONSTRAINT "events_id_key" UNIQUE ("id");

--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."events"
    ADD CONSTRAINT "events_pkey" PRIMARY KEY ("no");

--
-- Name: events events_tank_no_type_occurred_at_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."events"
    ADD CONSTRAINT "events_tank_no_type_occurred_at_key" UNIQUE ("tank_no", "type", "occurred_at");

--
-- Name: failed_mails failed_mails_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."failed_mails"
    ADD CONSTRAINT "failed_mails_pkey" PRIMARY KEY ("no");

--
-- Name: feed_removals feed_removals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."feed_removals"
    ADD CONSTRAINT "feed_removals_pkey" PRIMARY KEY ("organization_no", "kind", "change_number", "no");

--
-- Name: fleet_levels fleet_levels_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."fleet_levels"
    ADD CONSTRAINT "fleet_levels_pkey" PRIMARY KEY ("tank_no");

--
-- Name: fleet_tanks fleet_tanks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."fleet_tanks"
    ADD CONSTRAINT "fleet_tanks_pkey" PRIMARY KEY ("tank_no");

--
-- Name: former_notes former_notes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."former_notes"
    ADD CONSTRAINT "former_notes_pkey" PRIMARY KEY ("no");

--
-- Name: former_stops former_stops_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."former_stops"
    ADD CONSTRAINT "former_stops_pkey" PRIMARY KEY ("round_no", "tank_no");

--
-- Name: gauge_profiles gauge_profiles_organization_no_profile_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."gauge_profiles"
    ADD CONSTRAINT "gauge_profiles_organization_no_profile_key" UNIQUE ("organization_no", "profile");

--
-- Name: gauge_profiles gauge_profiles_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."gauge_profiles"
    ADD CONSTRAINT "gauge_profiles_pkey" PRIMARY KEY ("no");

--
-- Name: gauge_recomputations gauge_recomputations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."gauge_recomputations"
    ADD CONSTRAINT "gauge_recomputations_pkey" PRIMARY KEY ("tank_no");

--
-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."idempotency_keys"
    ADD CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("organization_no", "caller", "key");

--
-- Name: identities identities_issuer_no_contact_no_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."identities"
    ADD CONSTRAINT "identities_issuer_no_contact_no_key" UNIQUE ("issuer_no", "contact_no");

--
-- Name: identities identities_issuer_no_subject_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."identities"
    ADD CONSTRAINT "identities_issuer_no_subject_key" UNIQUE ("issuer_no", "subject");

--
-- Name: identities identities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."identities"
    ADD CONSTRAINT "identities_pkey" PRIMARY KEY ("no");

--
-- Name: imported_rows imported_rows_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."imported_rows"
    ADD CONSTRAINT "imported_rows_pkey" PRIMARY KEY ("import_no", "object", "object_no");

--
-- Name: imports imports_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."imports"
    ADD CONSTRAINT "imports_id_key" UNIQUE ("id");

--
-- Name: imports imports_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."imports"
    ADD CONSTRAINT "imports_pkey" PRIMARY KEY ("no");

--
-- Name: issuers issuers_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."issuers"
    ADD CONSTRAINT "issuers_id_key" UNIQUE ("id");

--
-- Name: issuers issuers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."issuers"
    ADD CONSTRAINT "issuers_pkey" PRIMARY KEY ("no");

--
-- Name: key_activity key_activity_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."key_activity"
    ADD CONSTRAINT "key_activity_pkey" PRIMARY KEY ("key_no", "day", "address");

--
-- Name: ledger_clock_samples ledger_clock_samples_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."ledger_clock_samples"
    ADD CONSTRAINT "ledger_clock_samples_pkey" PRIMARY KEY ("note_no");

--
-- Name: ledger_entries ledger_entries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."ledger_entries"
    ADD CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("id");

--
-- Name: ledger_marks ledger_marks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."ledger_marks"
    ADD CONSTRAINT "ledger_marks_pkey" PRIMARY KEY ("no");

--
-- Name: ledger_organizations ledger_organizations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."ledger_organizations"
    ADD CONSTRAINT "ledger_organizations_pkey" PRIMARY KEY ("organization_no");

--
-- Name: mail_jobs mail_jobs_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."mail_jobs"
    ADD CONSTRAINT "mail_jobs_key_key" UNIQUE ("key");

--
-- Name: mail_jobs mail_jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."mail_jobs"
    ADD CONSTRAINT "mail_jobs_pkey" PRIMARY KEY ("no");

--
-- Name: mutes mutes_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."mutes"
    ADD CONSTRAINT "mutes_id_key" UNIQUE ("id");

--
-- Name: mutes mutes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."mutes"
    ADD CONSTRAINT "mutes_pkey" PRIMARY KEY ("no");

--
-- Name: newest_backup newest_backup_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."newest_backup"
    ADD CONSTRAINT "newest_backup_pkey" PRIMARY KEY ("is_only");

--
-- Name: note_pins note_pins_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."note_pins"
    ADD CONSTRAINT "note_pins_pkey" PRIMARY KEY ("no");

--
-- Name: notification_holds notification_holds_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."notification_holds"
    ADD CONSTRAINT "notification_holds_pkey" PRIMARY KEY ("no");

--
-- Name: delivery_notes one_note_per_number; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."delivery_notes"
    ADD CONSTRAINT "one_note_per_number" UNIQUE ("organization_no", "series", "number");

--
-- Name: note_pins one_pin_per_refill; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."note_pins"
    ADD CONSTRAINT "one_pin_per_refill" UNIQUE ("note_no", "tank_no", "refill_at");

--
-- Name: round_stops one_position_per_stop; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."round_stops"
    ADD CONSTRAINT "one_position_per_stop" UNIQUE ("round_no", "position") DEFERRABLE INITIALLY DEFERRED;

--
-- Name: tanks one_tank_per_device; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tanks"
    ADD CONSTRAINT "one_tank_per_device" UNIQUE ("organization_no", "assigned_device_id") DEFERRABLE;

--
-- Name: organization_secrets organization_secrets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."organization_secrets"
    ADD CONSTRAINT "organization_secrets_pkey" PRIMARY KEY ("organization_no");

--
-- Name: organizations organizations_code_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."organizations"
    ADD CONSTRAINT "organizations_code_key" UNIQUE ("code");

--
-- Name: organizations organizations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."organizations"
    ADD CONSTRAINT "organizations_pkey" PRIMARY KEY ("no");

--
-- Name: packed_months packed_months_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."packed_months"
    ADD CONSTRAINT "packed_months_pkey" PRIMARY KEY ("month");

--
-- Name: packed_telemetry packed_telemetry_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."packed_telemetry"
    ADD CONSTRAINT "packed_telemetry_pkey" PRIMARY KEY ("tank_no", "starts_at");

--
-- Name: place_temperatures place_temperatures_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."place_temperatures"
    ADD CONSTRAINT "place_temperatures_pkey" PRIMARY KEY ("place_no", "kind", "on_date", "issued_at");

--
-- Name: places places_organization_no_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."places"
    ADD CONSTRAINT "places_organization_no_name_key" UNIQUE ("organization_no", "name");

--
-- Name: places places_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."places"
    ADD CONSTRAINT "places_pkey" PRIMARY KEY ("no");

--
-- Name: profile_assignments profile_assignments_organization_no_selector_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."profile_assignments"
    ADD CONSTRAINT "profile_assignments_organization_no_selector_key" UNIQUE ("organization_no", "selector");

--
-- Name: profile_assignments profile_assignments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."profile_assignments"
    ADD CONSTRAINT "profile_assignments_pkey" PRIMARY KEY ("no");

--
-- Name: push_jobs push_jobs_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."push_jobs"
    ADD CONSTRAINT "push_jobs_key_key" UNIQUE ("key");

--
-- Name: push_jobs push_jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."push_jobs"
    ADD CONSTRAINT "push_jobs_pkey" PRIMARY KEY ("no");

--
-- Name: push_keys push_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."push_keys"
    ADD CONSTRAINT "push_keys_pkey" PRIMARY KEY ("no");

--
-- Name: push_subscriptions push_subscriptions_endpoint_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."push_subscriptions"
    ADD CONSTRAINT "push_subscriptions_endpoint_key" UNIQUE ("endpoint");

--
-- Name: push_subscriptions push_subscriptions_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."push_subscriptions"
    ADD CONSTRAINT "push_subscriptions_id_key" UNIQUE ("id");

--
-- Name: push_subscriptions push_subscriptions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."push_subscriptions"
    ADD CONSTRAINT "push_subscriptions_pkey" PRIMARY KEY ("no");

--
-- Name: pushes pushes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."pushes"
    ADD CONSTRAINT "pushes_pkey" PRIMARY KEY ("no");

--
-- Name: reading_batches reading_batches_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."reading_batches"
    ADD CONSTRAINT "reading_batches_pkey" PRIMARY KEY ("organization_no", "change_number", "no");

--
-- Name: reading_followers reading_followers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."reading_followers"
    ADD CONSTRAINT "reading_followers_pkey" PRIMARY KEY ("organization_no");

--
-- Name: reevaluations reevaluations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."reevaluations"
    ADD CONSTRAINT "reevaluations_pkey" PRIMARY KEY ("tank_no");

--
-- Name: regional_rates regional_rates_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."regional_rates"
    ADD CONSTRAINT "regional_rates_pkey" PRIMARY KEY ("organization_no", "use_case", "city");

--
-- Name: rejected_readings rejected_readings_message_id_place_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."rejected_readings"
    ADD CONSTRAINT "rejected_readings_message_id_place_key" UNIQUE ("message_id", "place");

--
-- Name: rejected_readings rejected_readings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."rejected_readings"
    ADD CONSTRAINT "rejected_readings_pkey" PRIMARY KEY ("no");

--
-- Name: reminder_unsubscribes reminder_unsubscribes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."reminder_unsubscribes"
    ADD CONSTRAINT "reminder_unsubscribes_pkey" PRIMARY KEY ("customer_no");

--
-- Name: removals removals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."removals"
    ADD CONSTRAINT "removals_pkey" PRIMARY KEY ("id");

--
-- Name: restore_drills restore_drills_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."restore_drills"
    ADD CONSTRAINT "restore_drills_pkey" PRIMARY KEY ("no");

--
-- Name: round_stops round_stops_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."round_stops"
    ADD CONSTRAINT "round_stops_pkey" PRIMARY KEY ("no");

--
-- Name: round_stops round_stops_round_no_number_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."round_stops"
    ADD CONSTRAINT "round_stops_round_no_number_key" UNIQUE ("round_no", "number");

--
-- Name: round_stops round_stops_round_no_tank_no_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."round_stops"
    ADD CONSTRAINT "round_stops_round_no_tank_no_key" UNIQUE ("round_no", "tank_no");

--
-- Name: rounds rounds_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."rounds"
    ADD CONSTRAINT "rounds_id_key" UNIQUE ("id");

--
-- Name: rounds rounds_organization_no_no_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."rounds"
    ADD CONSTRAINT "rounds_organization_no_no_key" UNIQUE ("organization_no", "no");

--
-- Name: rounds rounds_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."rounds"
    ADD CONSTRAINT "rounds_pkey" PRIMARY KEY ("no");

--
-- Name: schema_migrations schema_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."schema_migrations"
    ADD CONSTRAINT "schema_migrations_pkey" PRIMARY KEY ("name");

--
-- Name: search_words search_words_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."search_words"
    ADD CONSTRAINT "search_words_pkey" PRIMARY KEY ("organization_no", "word");

--
-- Name: seen_refills seen_refills_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."seen_refills"
    ADD CONSTRAINT "seen_refills_pkey" PRIMARY KEY ("tank_no", "at");

--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."sessions"
    ADD CONSTRAINT "sessions_pkey" PRIMARY KEY ("no");

--
-- Name: sessions sessions_prefix_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."sessions"
    ADD CONSTRAINT "sessions_prefix_key" UNIQUE ("prefix");

--
-- Name: sign_ins sign_ins_link_sha256_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."sign_ins"
    ADD CONSTRAINT "sign_ins_link_sha256_key" UNIQUE ("link_sha256");

--
-- Name: sign_ins sign_ins_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."sign_ins"
    ADD CONSTRAINT "sign_ins_pkey" PRIMARY KEY ("no");

--
-- Name: stream_positions stream_positions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."stream_positions"
    ADD CONSTRAINT "stream_positions_pkey" PRIMARY KEY ("stream");

--
-- Name: tank_checkpoints tank_checkpoints_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tank_checkpoints"
    ADD CONSTRAINT "tank_checkpoints_pkey" PRIMARY KEY ("tank_no", "week_index");

--
-- Name: tank_gauges tank_gauges_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tank_gauges"
    ADD CONSTRAINT "tank_gauges_pkey" PRIMARY KEY ("tank_no", "from_at");

--
-- Name: tank_notes tank_notes_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tank_notes"
    ADD CONSTRAINT "tank_notes_id_key" UNIQUE ("id");

--
-- Name: tank_notes tank_notes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tank_notes"
    ADD CONSTRAINT "tank_notes_pkey" PRIMARY KEY ("no");

--
-- Name: tank_outages tank_outages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tank_outages"
    ADD CONSTRAINT "tank_outages_pkey" PRIMARY KEY ("tank_no", "connector_no", "from_at");

--
-- Name: tank_settings_history tank_settings_history_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tank_settings_history"
    ADD CONSTRAINT "tank_settings_history_pkey" PRIMARY KEY ("tank_no", "at");

--
-- Name: tank_states tank_states_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tank_states"
    ADD CONSTRAINT "tank_states_pkey" PRIMARY KEY ("tank_no");

--
-- Name: tank_texts tank_texts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tank_texts"
    ADD CONSTRAINT "tank_texts_pkey" PRIMARY KEY ("no");

--
-- Name: tank_weather tank_weather_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tank_weather"
    ADD CONSTRAINT "tank_weather_pkey" PRIMARY KEY ("tank_no");

--
-- Name: tanks tanks_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tanks"
    ADD CONSTRAINT "tanks_id_key" UNIQUE ("id");

--
-- Name: tanks tanks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tanks"
    ADD CONSTRAINT "tanks_pkey" PRIMARY KEY ("no");

--
-- Name: telemetry telemetry_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry"
    ADD CONSTRAINT "telemetry_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_01 telemetry_2026_11_01_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_01"
    ADD CONSTRAINT "telemetry_2026_11_01_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_02 telemetry_2026_11_02_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_02"
    ADD CONSTRAINT "telemetry_2026_11_02_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_03 telemetry_2026_11_03_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_03"
    ADD CONSTRAINT "telemetry_2026_11_03_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_04 telemetry_2026_11_04_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_04"
    ADD CONSTRAINT "telemetry_2026_11_04_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_05 telemetry_2026_11_05_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_05"
    ADD CONSTRAINT "telemetry_2026_11_05_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_06 telemetry_2026_11_06_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_06"
    ADD CONSTRAINT "telemetry_2026_11_06_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_07 telemetry_2026_11_07_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_07"
    ADD CONSTRAINT "telemetry_2026_11_07_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_08 telemetry_2026_11_08_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_08"
    ADD CONSTRAINT "telemetry_2026_11_08_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_09 telemetry_2026_11_09_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_09"
    ADD CONSTRAINT "telemetry_2026_11_09_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_10 telemetry_2026_11_10_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_10"
    ADD CONSTRAINT "telemetry_2026_11_10_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_11 telemetry_2026_11_11_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_11"
    ADD CONSTRAINT "telemetry_2026_11_11_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_12 telemetry_2026_11_12_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_12"
    ADD CONSTRAINT "telemetry_2026_11_12_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_13 telemetry_2026_11_13_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_13"
    ADD CONSTRAINT "telemetry_2026_11_13_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_14 telemetry_2026_11_14_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_14"
    ADD CONSTRAINT "telemetry_2026_11_14_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_15 telemetry_2026_11_15_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_15"
    ADD CONSTRAINT "telemetry_2026_11_15_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_16 telemetry_2026_11_16_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_16"
    ADD CONSTRAINT "telemetry_2026_11_16_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_17 telemetry_2026_11_17_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_17"
    ADD CONSTRAINT "telemetry_2026_11_17_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_18 telemetry_2026_11_18_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_18"
    ADD CONSTRAINT "telemetry_2026_11_18_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_19 telemetry_2026_11_19_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_19"
    ADD CONSTRAINT "telemetry_2026_11_19_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_20 telemetry_2026_11_20_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_20"
    ADD CONSTRAINT "telemetry_2026_11_20_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_21 telemetry_2026_11_21_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_21"
    ADD CONSTRAINT "telemetry_2026_11_21_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_22 telemetry_2026_11_22_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_22"
    ADD CONSTRAINT "telemetry_2026_11_22_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_23 telemetry_2026_11_23_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_23"
    ADD CONSTRAINT "telemetry_2026_11_23_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_24 telemetry_2026_11_24_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_24"
    ADD CONSTRAINT "telemetry_2026_11_24_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_25 telemetry_2026_11_25_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_25"
    ADD CONSTRAINT "telemetry_2026_11_25_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_26 telemetry_2026_11_26_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_26"
    ADD CONSTRAINT "telemetry_2026_11_26_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_27 telemetry_2026_11_27_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_27"
    ADD CONSTRAINT "telemetry_2026_11_27_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_28 telemetry_2026_11_28_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_28"
    ADD CONSTRAINT "telemetry_2026_11_28_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_29 telemetry_2026_11_29_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_29"
    ADD CONSTRAINT "telemetry_2026_11_29_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_2026_11_30 telemetry_2026_11_30_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_2026_11_30"
    ADD CONSTRAINT "telemetry_2026_11_30_pkey" PRIMARY KEY ("tank_no", "created_at");

--
-- Name: telemetry_buckets telemetry_buckets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_buckets"
    ADD CONSTRAINT "telemetry_buckets_pkey" PRIMARY KEY ("tank_no", "starts_at");

--
-- Name: telemetry_month_counters telemetry_month_counters_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_month_counters"
    ADD CONSTRAINT "telemetry_month_counters_pkey" PRIMARY KEY ("tank_no", "month");

--
-- Name: telemetry_month_counters_2026 telemetry_month_counters_2026_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_month_counters_2026"
    ADD CONSTRAINT "telemetry_month_counters_2026_pkey" PRIMARY KEY ("tank_no", "month");

--
-- Name: telemetry_month_counters_2027 telemetry_month_counters_2027_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_month_counters_2027"
    ADD CONSTRAINT "telemetry_month_counters_2027_pkey" PRIMARY KEY ("tank_no", "month");

--
-- Name: telemetry_month_counters_earlier telemetry_month_counters_earlier_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."telemetry_month_counters_earlier"
    ADD CONSTRAINT "telemetry_month_counters_earlier_pkey" PRIMARY KEY ("tank_no", "month");

--
-- Name: text_channels text_channels_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."text_channels"
    ADD CONSTRAINT "text_channels_id_key" UNIQUE ("id");

--
-- Name: text_channels text_channels_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."text_channels"
    ADD CONSTRAINT "text_channels_pkey" PRIMARY KEY ("no");

--
-- Name: text_jobs text_jobs_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."text_jobs"
    ADD CONSTRAINT "text_jobs_key_key" UNIQUE ("key");

--
-- Name: text_jobs text_jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."text_jobs"
    ADD CONSTRAINT "text_jobs_pkey" PRIMARY KEY ("no");

--
-- Name: text_usage text_usage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."text_usage"
    ADD CONSTRAINT "text_usage_pkey" PRIMARY KEY ("organization_no", "day");

--
-- Name: texts texts_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."texts"
    ADD CONSTRAINT "texts_id_key" UNIQUE ("id");

--
-- Name: texts texts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."texts"
    ADD CONSTRAINT "texts_pkey" PRIMARY KEY ("no");

--
-- Name: trucks trucks_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."trucks"
    ADD CONSTRAINT "trucks_id_key" UNIQUE ("id");

--
-- Name: trucks trucks_organization_no_no_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."trucks"
    ADD CONSTRAINT "trucks_organization_no_no_key" UNIQUE ("organization_no", "no");

--
-- Name: trucks trucks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."trucks"
    ADD CONSTRAINT "trucks_pkey" PRIMARY KEY ("no");

--
-- Name: waiting_dips waiting_dips_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."waiting_dips"
    ADD CONSTRAINT "waiting_dips_pkey" PRIMARY KEY ("no");

--
-- Name: webhook_deliveries webhook_deliveries_endpoint_no_event_no_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."webhook_deliveries"
    ADD CONSTRAINT "webhook_deliveries_endpoint_no_event_no_key" UNIQUE ("endpoint_no", "event_no");

--
-- Name: webhook_deliveries webhook_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."webhook_deliveries"
    ADD CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("no");

--
-- Name: webhook_endpoints webhook_endpoints_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."webhook_endpoints"
    ADD CONSTRAINT "webhook_endpoints_id_key" UNIQUE ("id");

--
-- Name: webhook_endpoints webhook_endpoints_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."webhook_endpoints"
    ADD CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("no");

--
-- Name: webhook_followers webhook_followers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."webhook_followers"
    ADD CONSTRAINT "webhook_followers_pkey" PRIMARY KEY ("endpoint_no");

--
-- Name: webhook_tests webhook_tests_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."webhook_tests"
    ADD CONSTRAINT "webhook_tests_pkey" PRIMARY KEY ("endpoint_no");

--
-- Name: jobs_main_index; Type: INDEX; Schema: graphile_worker; Owner: -
--

CREATE INDEX "jobs_main_index" ON "graphile_worker"."_private_jobs" USING "btree" ("priority", "run_at") INCLUDE ("id", "task_id", "job_queue_id") WHERE ("is_available" = true);

--
-- Name: jobs_no_queue_index; Type: INDEX; Schema: graphile_worker; Owner: -
--

CREATE INDEX "jobs_no_queue_index" ON "graphile_worker"."_private_jobs" USING "btree" ("priority", "run_at") INCLUDE ("id", "task_id") WHERE (("is_available" = true) AND ("job_queue_id" IS NULL));

--
-- Name: acknowledgements_by_end; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "acknowledgements_by_end" ON "public"."acknowledgements" USING "btree" ("until") WHERE ("ended_at" IS NULL);

--
-- Name: acknowledgements_of_tank; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "acknowledgements_of_tank" ON "public"."acknowledgements" USING "btree" ("tank_no", "no");

--
-- Name: api_keys_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "api_keys_by_change" ON "public"."api_keys" USING "btree" ("changed_xid");

--
-- Name: api_keys_by_customer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "api_keys_by_customer" ON "public"."api_keys" USING "btree" ("customer_no") WHERE ("customer_no" IS NOT NULL);

--
-- Name: audit_log_by_organization; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "audit_log_by_organization" ON "public"."audit_log" USING "btree" ("organization_no", "no");

--
-- Name: closed_assignments_by_tank; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "closed_assignments_by_tank" ON "public"."device_assignments" USING "btree" ("tank_no") WHERE ("to_at" < 'infinity'::timestamp with time zone);

--
-- Name: connectors_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "connectors_by_name" ON "public"."connectors" USING "btree" ("organization_no", "lower"("name")) WHERE ("deleted_at" IS NULL);

--
-- Name: connectors_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "connectors_due" ON "public"."connector_states" USING "btree" ("next_attempt_at");

--
-- Name: console_contacts_by_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "console_contacts_by_address" ON "public"."contacts" USING "btree" ("lower"(("email" COLLATE "C"))) WHERE ("has_console" AND ("deleted_at" IS NULL));

--
-- Name: contact_reach_of_organization; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "contact_reach_of_organization" ON "public"."contact_reach" USING "btree" ("organization_no");

--
-- Name: customer_texts_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "customer_texts_by_name" ON "public"."customer_texts" USING "btree" ((("organization_no")::bigint), "sort_name", "no");

--
-- Name: customer_texts_by_text; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "customer_texts_by_text" ON "public"."customer_texts" USING "gin" ("organization_no", "text" "extensions"."gin_trgm_ops");

--
-- Name: customer_texts_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "customer_texts_in_order" ON "public"."customer_texts" USING "btree" ((("organization_no")::bigint), "no");

--
-- Name: customers_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "customers_by_change" ON "public"."customers" USING "btree" ("organization_no", "change_number", "no");

--
-- Name: customers_by_email; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "customers_by_email" ON "public"."customers" USING "btree" ("organization_no", "email", "created_at", "no") WHERE ("deleted_at" IS NULL);

--
-- Name: customers_external_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "customers_external_key" ON "public"."customers" USING "btree" ("organization_no", "external_key");

--
-- Name: customers_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "customers_in_order" ON "public"."customers" USING "btree" ("organization_no", "created_at", "no") WHERE ("deleted_at" IS NULL);

--
-- Name: deleted_tanks; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "deleted_tanks" ON "public"."tanks" USING "btree" ("no") WHERE ("deleted_at" IS NOT NULL);

--
-- Name: delivery_days_of_city; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "delivery_days_of_city" ON "public"."delivery_days" USING "btree" ("organization_no", "city") WHERE ("city" IS NOT NULL);

--
-- Name: delivery_days_of_tank; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "delivery_days_of_tank" ON "public"."delivery_days" USING "btree" ("tank_no") WHERE ("tank_no" IS NOT NULL);

--
-- Name: delivery_notes_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "delivery_notes_by_change" ON "public"."delivery_notes" USING "btree" ("organization_no", "change_number", "no");

--
-- Name: delivery_notes_by_reference; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "delivery_notes_by_reference" ON "public"."delivery_notes" USING "btree" ("organization_no", "reference") WHERE ("reference" IS NOT NULL);

--
-- Name: delivery_notes_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "delivery_notes_by_time" ON "public"."delivery_notes" USING "btree" ("organization_no", "at");

--
-- Name: delivery_notes_of_customer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "delivery_notes_of_customer" ON "public"."delivery_notes" USING "btree" ("customer_no", "at");

--
-- Name: delivery_notes_of_tank; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "delivery_notes_of_tank" ON "public"."delivery_notes" USING "btree" ("tank_no", "at") WHERE ("tank_no" IS NOT NULL);

--
-- Name: depots_external_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "depots_external_key" ON "public"."depots" USING "btree" ("organization_no", "external_key") WHERE ("external_key" IS NOT NULL);

--
-- Name: device_credentials_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "device_credentials_by_change" ON "public"."device_credentials" USING "btree" ("changed_xid");

--
-- Name: device_health_of_tank; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "device_health_of_tank" ON "public"."device_health" USING "btree" ("tank_no");

--
-- Name: device_troubles; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "device_troubles" ON "public"."device_health" USING "btree" ("organization_no", "tank_no") WHERE (("fault" IS NOT NULL) OR ("battery_low_since" IS NOT NULL) OR "is_signal_weak");

--
-- Name: devices_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "devices_by_person" ON "public"."device_assignments" USING "btree" ("organization_no", "assigned_by", "tank_no") WHERE (("to_at" = 'infinity'::timestamp with time zone) AND ("assigned_by" ~~ 'contact %'::"text") AND ("device_id" !~~ 'pending-%'::"text") AND (NOT "public"."is_manual_device"("device_id")));

--
-- Name: driver_entries_by_round; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "driver_entries_by_round" ON "public"."driver_entries" USING "btree" ("round_no", "id");

--
-- Name: driver_entries_of_round; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "driver_entries_of_round" ON "public"."driver_entries" USING "btree" ("round_no", "no");

--
-- Name: driver_entries_of_tank; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "driver_entries_of_tank" ON "public"."driver_entries" USING "btree" ("tank_no") WHERE ("tank_no" IS NOT NULL);

--
-- Name: drivers_external_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "drivers_external_key" ON "public"."drivers" USING "btree" ("organization_no", "external_key") WHERE ("external_key" IS NOT NULL);

--
-- Name: escalation_jobs_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "escalation_jobs_created_at_idx" ON "public"."escalation_jobs" USING "btree" ("created_at") WHERE ("tries" > 0);

--
-- Name: escalation_jobs_due_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "escalation_jobs_due_at_idx" ON "public"."escalation_jobs" USING "btree" ("due_at") WHERE ("given_up_at" IS NULL);

--
-- Name: escalation_jobs_organization_no_due_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "escalation_jobs_organization_no_due_at_idx" ON "public"."escalation_jobs" USING "btree" ("organization_no", "due_at") WHERE ("given_up_at" IS NULL);

--
-- Name: escalations_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "escalations_by_time" ON "public"."escalations" USING "btree" ("organization_no", "began_at");

--
-- Name: estimated_tanks_of_organization; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "estimated_tanks_of_organization" ON "public"."estimated_tanks" USING "btree" ("organization_no", "tank_no") WHERE ("manual_to" = 'infinity'::timestamp with time zone);

--
-- Name: estimated_tanks_to_dip; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "estimated_tanks_to_dip" ON "public"."estimated_tanks" USING "btree" ("organization_no", "tank_no") WHERE "is_dip_wanted";

--
-- Name: event_mails_by_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "event_mails_by_event" ON "public"."event_mails" USING "btree" ("event_no", "recipient", "recipient_no", "sent_at");

--
-- Name: event_mails_of_customer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "event_mails_of_customer" ON "public"."event_mails" USING "btree" ("recipient_no") WHERE ("recipient" = 'customer'::"text");

--
-- Name: event_mails_to_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "event_mails_to_group" ON "public"."event_mails" USING "btree" ("recipient_no", "no") WHERE ("sent_at" IS NULL);

--
-- Name: event_mails_to_remind; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "event_mails_to_remind" ON "public"."event_mails" USING "btree" ("sent_at") WHERE (("kind" = 'alert'::"text") AND ("recipient" = 'customer'::"text"));

--
-- Name: events_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "events_by_change" ON "public"."events" USING "btree" ("organization_no", "change_number", "no");

--
-- Name: events_of_organization; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "events_of_organization" ON "public"."events" USING "btree" ("organization_no", "occurred_at", "no");

--
-- Name: events_of_type_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "events_of_type_by_change" ON "public"."events" USING "btree" ("organization_no", "type", "change_number", "no");

--
-- Name: events_of_type_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "events_of_type_by_time" ON "public"."events" USING "btree" ("organization_no", "type", "occurred_at", "no");

--
-- Name: failed_mails_of_customer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "failed_mails_of_customer" ON "public"."failed_mails" USING "btree" ("recipient_no") WHERE ("recipient" = 'customer'::"text");

--
-- Name: failed_mails_of_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "failed_mails_of_event" ON "public"."failed_mails" USING "btree" ("event_no");

--
-- Name: feed_removals_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "feed_removals_by_time" ON "public"."feed_removals" USING "btree" ("removed_at");

--
-- Name: fleet_levels_by_fill; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_levels_by_fill" ON "public"."fleet_levels" USING "btree" ("organization_no", "fill", "tank_no");

--
-- Name: fleet_levels_by_latest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_levels_by_latest" ON "public"."fleet_levels" USING "btree" ("organization_no", "latest_on", "tank_no");

--
-- Name: fleet_tanks_by_refill; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_by_refill" ON "public"."fleet_tanks" USING "btree" ("organization_no", "refilled_on", "threshold_on", "empty_on", "tank_no");

--
-- Name: fleet_tanks_by_urgency; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_by_urgency" ON "public"."fleet_tanks" USING "btree" ("organization_no", "threshold_on", "empty_on", "tank_no");

--
-- Name: fleet_tanks_handled; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_handled" ON "public"."fleet_tanks" USING "btree" ("organization_no", "threshold_on", "empty_on", "tank_no") WHERE ("handled" <> 0);

--
-- Name: fleet_tanks_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_in_order" ON "public"."fleet_tanks" USING "btree" ("organization_no", "tank_no");

--
-- Name: fleet_tanks_losing; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_losing" ON "public"."fleet_tanks" USING "btree" ("organization_no", "losing_seen_at") WHERE ("losing_seen_at" > '-infinity'::timestamp with time zone);

--
-- Name: fleet_tanks_low; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_low" ON "public"."fleet_tanks" USING "btree" ("organization_no", "threshold_on", "empty_on", "tank_no") WHERE "is_low";

--
-- Name: fleet_tanks_of_city; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_of_city" ON "public"."fleet_tanks" USING "btree" ("organization_no", "city", "threshold_on", "empty_on", "tank_no");

--
-- Name: fleet_tanks_of_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_of_owner" ON "public"."fleet_tanks" USING "btree" ("owner_no", "threshold_on", "empty_on", "tank_no");

--
-- Name: fleet_tanks_of_use; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_of_use" ON "public"."fleet_tanks" USING "btree" ("organization_no", "use_case", "threshold_on", "empty_on", "tank_no") WHERE ("use_case" = ANY (ARRAY['commercial'::"text", 'industrial'::"text"]));

--
-- Name: fleet_tanks_silent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_silent" ON "public"."fleet_tanks" USING "btree" ("organization_no", "threshold_on", "empty_on", "tank_no") WHERE "is_silent";

--
-- Name: fleet_tanks_to_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_to_order" ON "public"."fleet_tanks" USING "btree" ("organization_no", "threshold_on", "empty_on", "tank_no") WHERE "is_order_due";

--
-- Name: fleet_tanks_unreliable; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_unreliable" ON "public"."fleet_tanks" USING "btree" ("organization_no", "threshold_on", "empty_on", "tank_no") WHERE "is_gauge_unreliable";

--
-- Name: fleet_tanks_unusual; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_unusual" ON "public"."fleet_tanks" USING "btree" ("organization_no", "unusual_use_at") WHERE ("unusual_use_at" > '-infinity'::timestamp with time zone);

--
-- Name: former_notes_of_note; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "former_notes_of_note" ON "public"."former_notes" USING "btree" ("note_no", "no");

--
-- Name: gauge_profiles_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "gauge_profiles_by_change" ON "public"."gauge_profiles" USING "btree" ("changed_xid");

--
-- Name: gauge_recomputations_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "gauge_recomputations_due" ON "public"."gauge_recomputations" USING "btree" ("organization_no", "next_attempt_at", "tank_no");

--
-- Name: idempotency_keys_by_object; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "idempotency_keys_by_object" ON "public"."idempotency_keys" USING "btree" ("object", "object_no") WHERE ("object" IS NOT NULL);

--
-- Name: idempotency_keys_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "idempotency_keys_by_time" ON "public"."idempotency_keys" USING "btree" ("created_at");

--
-- Name: identities_of_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "identities_of_contact" ON "public"."identities" USING "btree" ("contact_no");

--
-- Name: imported_rows_of_object; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "imported_rows_of_object" ON "public"."imported_rows" USING "btree" ("object", "object_no");

--
-- Name: imports_of_organization; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "imports_of_organization" ON "public"."imports" USING "btree" ("organization_no", "no");

--
-- Name: invitations_of_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "invitations_of_contact" ON "public"."sign_ins" USING "btree" ("contact_no") WHERE ("contact_no" IS NOT NULL);

--
-- Name: issuers_of_organization; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "issuers_of_organization" ON "public"."issuers" USING "btree" ("organization_no", "url") WHERE ("deleted_at" IS NULL);

--
-- Name: key_activity_by_day; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "key_activity_by_day" ON "public"."key_activity" USING "btree" ("day");

--
-- Name: ledger_clock_samples_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "ledger_clock_samples_by_time" ON "public"."ledger_clock_samples" USING "btree" ("organization_no", "at" DESC, "note_no");

--
-- Name: ledger_clock_samples_of_customer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "ledger_clock_samples_of_customer" ON "public"."ledger_clock_samples" USING "btree" ("customer_no");

--
-- Name: ledger_entries_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "ledger_entries_by_change" ON "public"."ledger_entries" USING "btree" ("organization_no", "change_number", "id");

--
-- Name: ledger_entries_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "ledger_entries_by_time" ON "public"."ledger_entries" USING "btree" ("organization_no", "at" DESC, "id" DESC);

--
-- Name: ledger_entries_compared; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "ledger_entries_compared" ON "public"."ledger_entries" USING "btree" ("organization_no", "at" DESC, "id" DESC) WHERE "is_compared";

--
-- Name: ledger_entries_of_customer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "ledger_entries_of_customer" ON "public"."ledger_entries" USING "btree" ("customer_no", "at" DESC, "id" DESC);

--
-- Name: ledger_entries_of_truck; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "ledger_entries_of_truck" ON "public"."ledger_entries" USING "btree" ("organization_no", "truck_no", "at" DESC, "id" DESC);

--
-- Name: ledger_entries_of_verdict; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "ledger_entries_of_verdict" ON "public"."ledger_entries" USING "btree" ("organization_no", "verdict", "at" DESC, "id" DESC);

--
-- Name: ledger_entries_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "ledger_entries_waiting" ON "public"."ledger_entries" USING "btree" ("due_at") WHERE ("verdict" = 'waiting'::"text");

--
-- Name: ledger_marks_of_customer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "ledger_marks_of_customer" ON "public"."ledger_marks" USING "btree" ("customer_no");

--
-- Name: ledger_marks_of_organization; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "ledger_marks_of_organization" ON "public"."ledger_marks" USING "btree" ("organization_no", "no");

--
-- Name: mail_jobs_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "mail_jobs_due" ON "public"."mail_jobs" USING "btree" ("due_at") WHERE ("given_up_at" IS NULL);

--
-- Name: mail_jobs_of_organization; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "mail_jobs_of_organization" ON "public"."mail_jobs" USING "btree" ("organization_no", "due_at") WHERE ("given_up_at" IS NULL);

--
-- Name: mail_jobs_tried; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "mail_jobs_tried" ON "public"."mail_jobs" USING "btree" ("created_at") WHERE ("tries" > 0);

--
-- Name: mutes_by_end; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "mutes_by_end" ON "public"."mutes" USING "btree" ("until") WHERE ("ended_at" IS NULL);

--
-- Name: mutes_of_tank; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "mutes_of_tank" ON "public"."mutes" USING "btree" ("tank_no", "no");

--
-- Name: note_pins_of_tank; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "note_pins_of_tank" ON "public"."note_pins" USING "btree" ("tank_no");

--
-- Name: one_acknowledgement_per_condition; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_acknowledgement_per_condition" ON "public"."acknowledgements" USING "btree" ("tank_no", "condition") WHERE ("ended_at" IS NULL);

--
-- Name: one_alert_per_recipient; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_alert_per_recipient" ON "public"."event_mails" USING "btree" ("event_no", "recipient", "recipient_no") WHERE ("kind" = 'alert'::"text");

--
-- Name: one_driver_per_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_driver_per_name" ON "public"."drivers" USING "btree" ("organization_no", "lower"("name")) WHERE ("archived_at" IS NULL);

--
-- Name: one_mute_per_tank; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_mute_per_tank" ON "public"."mutes" USING "btree" ("tank_no") WHERE ("ended_at" IS NULL);

--
-- Name: one_open_assignment_per_tank; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_open_assignment_per_tank" ON "public"."device_assignments" USING "btree" ("tank_no") WHERE ("to_at" = 'infinity'::timestamp with time zone);

--
-- Name: one_open_escalation; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_open_escalation" ON "public"."escalations" USING "btree" ("tank_no", "condition") WHERE ("ended_at" IS NULL);

--
-- Name: one_open_hold; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_open_hold" ON "public"."notification_holds" USING "btree" ((true)) WHERE ("released_at" IS NULL);

--
-- Name: one_open_stop_per_tank_and_day; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_open_stop_per_tank_and_day" ON "public"."round_stops" USING "btree" ("tank_no", "round_date") WHERE "is_open";

--
-- Name: one_organization_per_route_tag; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_organization_per_route_tag" ON "public"."organizations" USING "btree" ("left"("code", 2), "route_tag");

--
-- Name: one_push_per_step; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_push_per_step" ON "public"."pushes" USING "btree" ("event_no", "subscription_no", "step") WHERE ("event_no" IS NOT NULL);

--
-- Name: one_text_channel; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_text_channel" ON "public"."text_channels" USING "btree" ("organization_no") WHERE ("deleted_at" IS NULL);

--
-- Name: one_text_per_event; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_text_per_event" ON "public"."texts" USING "btree" ("event_no", "contact_no") WHERE ("event_no" IS NOT NULL);

--
-- Name: one_text_per_step; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_text_per_step" ON "public"."texts" USING "btree" ("escalation_no", "contact_no", "step") WHERE ("escalation_no" IS NOT NULL);

--
-- Name: one_truck_per_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_truck_per_name" ON "public"."trucks" USING "btree" ("organization_no", "lower"("name")) WHERE ("archived_at" IS NULL);

--
-- Name: open_acknowledgements; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "open_acknowledgements" ON "public"."acknowledgements" USING "btree" ("organization_no", "condition", "tank_no") WHERE ("ended_at" IS NULL);

--
-- Name: open_mutes; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "open_mutes" ON "public"."mutes" USING "btree" ("organization_no", "tank_no") WHERE ("ended_at" IS NULL);

--
-- Name: open_rounds; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "open_rounds" ON "public"."rounds" USING "btree" ("day_ends_at") WHERE ("state" = ANY (ARRAY['planned'::"text", 'under_way'::"text"]));

--
-- Name: organization_secrets_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "organization_secrets_by_change" ON "public"."organization_secrets" USING "btree" ("changed_xid");

--
-- Name: organizations_deleted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "organizations_deleted" ON "public"."organizations" USING "btree" ("code") WHERE ("deleted_at" IS NOT NULL);

--
-- Name: places_by_latitude; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "places_by_latitude" ON "public"."places" USING "btree" ("organization_no", "latitude") WHERE ("latitude" IS NOT NULL);

--
-- Name: places_by_postal_code; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "places_by_postal_code" ON "public"."places" USING "btree" ("organization_no", "postal_code") WHERE ("postal_code" IS NOT NULL);

--
-- Name: plain_telemetry_months; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "plain_telemetry_months" ON ONLY "public"."telemetry_month_counters" USING "btree" ("month", "tank_no") WHERE (NOT "is_packed");

--
-- Name: profile_assignments_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "profile_assignments_by_change" ON "public"."profile_assignments" USING "btree" ("changed_xid");

--
-- Name: push_jobs_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "push_jobs_created_at_idx" ON "public"."push_jobs" USING "btree" ("created_at") WHERE ("tries" > 0);

--
-- Name: push_jobs_due_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "push_jobs_due_at_idx" ON "public"."push_jobs" USING "btree" ("due_at") WHERE ("given_up_at" IS NULL);

--
-- Name: push_jobs_organization_no_due_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "push_jobs_organization_no_due_at_idx" ON "public"."push_jobs" USING "btree" ("organization_no", "due_at") WHERE ("given_up_at" IS NULL);

--
-- Name: push_subscriptions_of_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "push_subscriptions_of_contact" ON "public"."push_subscriptions" USING "btree" ("contact_no", "no");

--
-- Name: push_subscriptions_of_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "push_subscriptions_of_session" ON "public"."push_subscriptions" USING "btree" ("session_prefix");

--
-- Name: pushes_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "pushes_by_time" ON "public"."pushes" USING "btree" ("created_at");

--
-- Name: reading_batches_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "reading_batches_by_time" ON "public"."reading_batches" USING "btree" ("stored_at");

--
-- Name: reevaluations_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "reevaluations_due" ON "public"."reevaluations" USING "btree" ("organization_no", "next_attempt_at", "tank_no");

--
-- Name: reevaluations_failing; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "reevaluations_failing" ON "public"."reevaluations" USING "btree" ("failing_since") WHERE ("failing_since" IS NOT NULL);

--
-- Name: reevaluations_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "reevaluations_waiting" ON "public"."reevaluations" USING "btree" ("waits_for_version") WHERE ("waits_for_version" IS NOT NULL);

--
-- Name: rejected_readings_by_device; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "rejected_readings_by_device" ON "public"."rejected_readings" USING "hash" ("device_id");

--
-- Name: rejected_readings_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "rejected_readings_open" ON "public"."rejected_readings" USING "btree" ("organization_no", "no") WHERE ("settled_at" IS NULL);

--
-- Name: removals_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "removals_by_time" ON "public"."removals" USING "btree" ("at", "id");

--
-- Name: removals_by_xid; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "removals_by_xid" ON "public"."removals" USING "btree" ("added_xid");

--
-- Name: round_stops_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "round_stops_by_change" ON "public"."round_stops" USING "btree" ("organization_no", "change_number", "no");

--
-- Name: round_stops_of_tank; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "round_stops_of_tank" ON "public"."round_stops" USING "btree" ("tank_no");

--
-- Name: rounds_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "rounds_by_change" ON "public"."rounds" USING "btree" ("organization_no", "change_number", "no");

--
-- Name: rounds_by_date; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "rounds_by_date" ON "public"."rounds" USING "btree" ("organization_no", "date", "no");

--
-- Name: sessions_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "sessions_by_change" ON "public"."sessions" USING "btree" ("changed_xid");

--
-- Name: sessions_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "sessions_by_expiry" ON "public"."sessions" USING "btree" ("expires_at");

--
-- Name: sessions_of_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "sessions_of_contact" ON "public"."sessions" USING "btree" ("contact_no");

--
-- Name: sessions_of_customer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "sessions_of_customer" ON "public"."sessions" USING "btree" ("customer_no");

--
-- Name: sessions_of_key; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "sessions_of_key" ON "public"."sessions" USING "btree" ("key_no");

--
-- Name: sign_ins_by_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "sign_ins_by_address" ON "public"."sign_ins" USING "btree" ("address", "created_at");

--
-- Name: sign_ins_by_browser; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "sign_ins_by_browser" ON "public"."sign_ins" USING "btree" ("browser_sha256");

--
-- Name: tank_notes_of_tank; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tank_notes_of_tank" ON "public"."tank_notes" USING "btree" ("tank_no", "no") WHERE ("deleted_at" IS NULL);

--
-- Name: tank_outages_of_connector; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tank_outages_of_connector" ON "public"."tank_outages" USING "btree" ("connector_no") WHERE ("to_at" IS NULL);

--
-- Name: tank_states_by_timer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tank_states_by_timer" ON "public"."tank_states" USING "btree" ("timer_at", "tank_no") WHERE ("timer_at" IS NOT NULL);

--
-- Name: tank_texts_by_text; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tank_texts_by_text" ON "public"."tank_texts" USING "gin" ("organization_no", "text" "extensions"."gin_trgm_ops");

--
-- Name: tank_texts_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tank_texts_in_order" ON "public"."tank_texts" USING "btree" ((("organization_no")::bigint), "no");

--
-- Name: tank_weather_of_place; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tank_weather_of_place" ON "public"."tank_weather" USING "btree" ("place_no", "tank_no");

--
-- Name: tanks_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tanks_by_change" ON "public"."tanks" USING "btree" ("organization_no", "change_number", "no");

--
-- Name: tanks_by_place; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tanks_by_place" ON "public"."tanks" USING "btree" ("organization_no", "latitude", "longitude", "no") WHERE (("deleted_at" IS NULL) AND ("latitude" IS NOT NULL) AND ("longitude" IS NOT NULL));

--
-- Name: tanks_by_product; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tanks_by_product" ON "public"."tanks" USING "btree" ("organization_no", "product") WHERE (("product" IS NOT NULL) AND ("deleted_at" IS NULL));

--
-- Name: tanks_custom_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "tanks_custom_id" ON "public"."tanks" USING "btree" ("owner_no", "custom_id");

--
-- Name: tanks_external_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "tanks_external_key" ON "public"."tanks" USING "btree" ("organization_no", "external_key") WHERE ("external_key" IS NOT NULL);

--
-- Name: tanks_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tanks_in_order" ON "public"."tanks" USING "btree" ("organization_no", "created_at", "no") WHERE ("deleted_at" IS NULL);

--
-- Name: tanks_of_owner_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tanks_of_owner_in_order" ON "public"."tanks" USING "btree" ("owner_no", "created_at", "no") WHERE ("deleted_at" IS NULL);

--
-- Name: telemetry_month_counters_2026_month_tank_no_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "telemetry_month_counters_2026_month_tank_no_idx" ON "public"."telemetry_month_counters_2026" USING "btree" ("month", "tank_no") WHERE (NOT "is_packed");

--
-- Name: telemetry_month_counters_2027_month_tank_no_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "telemetry_month_counters_2027_month_tank_no_idx" ON "public"."telemetry_month_counters_2027" USING "btree" ("month", "tank_no") WHERE (NOT "is_packed");

--
-- Name: telemetry_month_counters_earlier_plain; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "telemetry_month_counters_earlier_plain" ON "public"."telemetry_month_counters_earlier" USING "btree" ("month", "tank_no") WHERE (NOT "is_packed");

--
-- Name: test_pushes; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "test_pushes" ON "public"."pushes" USING "btree" ("contact_no", "created_at") WHERE ("event_no" IS NULL);

--
-- Name: text_jobs_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "text_jobs_created_at_idx" ON "public"."text_jobs" USING "btree" ("created_at") WHERE ("tries" > 0);

--
-- Name: text_jobs_due_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "text_jobs_due_at_idx" ON "public"."text_jobs" USING "btree" ("due_at") WHERE ("given_up_at" IS NULL);

--
-- Name: text_jobs_organization_no_due_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "text_jobs_organization_no_due_at_idx" ON "public"."text_jobs" USING "btree" ("organization_no", "due_at") WHERE ("given_up_at" IS NULL);

--
-- Name: texts_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "texts_by_time" ON "public"."texts" USING "btree" ("created_at");

--
-- Name: texts_of_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "texts_of_contact" ON "public"."texts" USING "btree" ("contact_no", "no");

--
-- Name: texts_of_provider; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "texts_of_provider" ON "public"."texts" USING "btree" ("organization_no", "provider_id") WHERE ("provider_id" IS NOT NULL);

--
-- Name: trucks_external_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "trucks_external_key" ON "public"."trucks" USING "btree" ("organization_no", "external_key") WHERE ("external_key" IS NOT NULL);

--
-- Name: verified_customers_by_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "verified_customers_by_address" ON "public"."customers" USING "btree" ("lower"(("email" COLLATE "C"))) WHERE ("is_verified" AND ("deleted_at" IS NULL));

--
-- Name: waiting_dips_of_organization; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "waiting_dips_of_organization" ON "public"."waiting_dips" USING "btree" ("organization_no", "no");

--
-- Name: webhook_deliveries_by_end; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "webhook_deliveries_by_end" ON "public"."webhook_deliveries" USING "btree" ("finished_at") WHERE ("finished_at" IS NOT NULL);

--
-- Name: webhook_deliveries_by_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "webhook_deliveries_by_event" ON "public"."webhook_deliveries" USING "btree" ("event_no");

--
-- Name: webhook_deliveries_by_message; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "webhook_deliveries_by_message" ON "public"."webhook_deliveries" USING "btree" ("endpoint_no", "message_id") WHERE ("message_id" IS NOT NULL);

--
-- Name: webhook_deliveries_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "webhook_deliveries_due" ON "public"."webhook_deliveries" USING "btree" ("endpoint_no", "next_attempt_at") WHERE ("status" = 'pending'::"text");

--
-- Name: webhook_deliveries_due_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "webhook_deliveries_due_by_time" ON "public"."webhook_deliveries" USING "btree" ("next_attempt_at") WHERE ("status" = 'pending'::"text");

--
-- Name: webhook_deliveries_of_endpoint; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "webhook_deliveries_of_endpoint" ON "public"."webhook_deliveries" USING "btree" ("endpoint_no", "no");

--
-- Name: webhook_endpoints_of_organization; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "webhook_endpoints_of_organization" ON "public"."webhook_endpoints" USING "btree" ("organization_no");

--
-- Name: telemetry_2026_11_01_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_01_pkey";

--
-- Name: telemetry_2026_11_02_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_02_pkey";

--
-- Name: telemetry_2026_11_03_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_03_pkey";

--
-- Name: telemetry_2026_11_04_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_04_pkey";

--
-- Name: telemetry_2026_11_05_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_05_pkey";

--
-- Name: telemetry_2026_11_06_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_06_pkey";

--
-- Name: telemetry_2026_11_07_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_07_pkey";

--
-- Name: telemetry_2026_11_08_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_08_pkey";

--
-- Name: telemetry_2026_11_09_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_09_pkey";

--
-- Name: telemetry_2026_11_10_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_10_pkey";

--
-- Name: telemetry_2026_11_11_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_11_pkey";

--
-- Name: telemetry_2026_11_12_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_12_pkey";

--
-- Name: telemetry_2026_11_13_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_13_pkey";

--
-- Name: telemetry_2026_11_14_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_14_pkey";

--
-- Name: telemetry_2026_11_15_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_15_pkey";

--
-- Name: telemetry_2026_11_16_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_16_pkey";

--
-- Name: telemetry_2026_11_17_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_17_pkey";

--
-- Name: telemetry_2026_11_18_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_18_pkey";

--
-- Name: telemetry_2026_11_19_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_19_pkey";

--
-- Name: telemetry_2026_11_20_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_20_pkey";

--
-- Name: telemetry_2026_11_21_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_21_pkey";

--
-- Name: telemetry_2026_11_22_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_22_pkey";

--
-- Name: telemetry_2026_11_23_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_23_pkey";

--
-- Name: telemetry_2026_11_24_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_24_pkey";

--
-- Name: telemetry_2026_11_25_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_25_pkey";

--
-- Name: telemetry_2026_11_26_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_26_pkey";

--
-- Name: telemetry_2026_11_27_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_27_pkey";

--
-- Name: telemetry_2026_11_28_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_28_pkey";

--
-- Name: telemetry_2026_11_29_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_29_pkey";

--
-- Name: telemetry_2026_11_30_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_pkey" ATTACH PARTITION "public"."telemetry_2026_11_30_pkey";

--
-- Name: telemetry_month_counters_2026_month_tank_no_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."plain_telemetry_months" ATTACH PARTITION "public"."telemetry_month_counters_2026_month_tank_no_idx";

--
-- Name: telemetry_month_counters_2026_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_month_counters_pkey" ATTACH PARTITION "public"."telemetry_month_counters_2026_pkey";

--
-- Name: telemetry_month_counters_2027_month_tank_no_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."plain_telemetry_months" ATTACH PARTITION "public"."telemetry_month_counters_2027_month_tank_no_idx";

--
-- Name: telemetry_month_counters_2027_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_month_counters_pkey" ATTACH PARTITION "public"."telemetry_month_counters_2027_pkey";

--
-- Name: telemetry_month_counters_earlier_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."telemetry_month_counters_pkey" ATTACH PARTITION "public"."telemetry_month_counters_earlier_pkey";

--
-- Name: telemetry_month_counters_earlier_plain; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX "public"."plain_telemetry_months" ATTACH PARTITION "public"."telemetry_month_counters_earlier_plain";

--
-- Name: tanks add_estimated_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "add_estimated_tanks" AFTER INSERT ON "public"."tanks" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."add_estimated_tanks"();

--
-- Name: tanks add_fleet_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "add_fleet_tanks" AFTER INSERT ON "public"."tanks" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."add_fleet_tanks"();

--
-- Name: acknowledgements audit_changed_acknowledgements; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_acknowledgements" AFTER UPDATE ON "public"."acknowledgements" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('acknowledgement', 'organization_no');

--
-- Name: connectors audit_changed_connectors; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_connectors" AFTER UPDATE ON "public"."connectors" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('connector', 'organization_no');

--
-- Name: contact_reach audit_changed_contact_reach; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_contact_reach" AFTER UPDATE ON "public"."contact_reach" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('contact', 'organization_no');

--
-- Name: contacts audit_changed_contacts; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_contacts" AFTER UPDATE ON "public"."contacts" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('contact', 'organization_no');

--
-- Name: device_credentials audit_changed_credentials; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_credentials" AFTER UPDATE ON "public"."device_credentials" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('device', 'organization_no');

--
-- Name: customers audit_changed_customers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_customers" AFTER UPDATE ON "public"."customers" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('customer', 'organization_no');

--
-- Name: delivery_days audit_changed_delivery_days; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_delivery_days" AFTER UPDATE ON "public"."delivery_days" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('delivery_days', 'organization_no');

--
-- Name: delivery_notes audit_changed_delivery_notes; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_delivery_notes" AFTER UPDATE ON "public"."delivery_notes" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('delivery_note', 'organization_no');

--
-- Name: depots audit_changed_depots; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_depots" AFTER UPDATE ON "public"."depots" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('depot', 'organization_no');

--
-- Name: drivers audit_changed_drivers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_drivers" AFTER UPDATE ON "public"."drivers" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('driver', 'organization_no');

--
-- Name: duty_plans audit_changed_duty_plans; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_duty_plans" AFTER UPDATE ON "public"."duty_plans" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('duty_plan', 'organization_no');

--
-- Name: webhook_endpoints audit_changed_endpoints; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_endpoints" AFTER UPDATE ON "public"."webhook_endpoints" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('webhook', 'organization_no');

--
-- Name: issuers audit_changed_issuers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_issuers" AFTER UPDATE ON "public"."issuers" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('issuer', 'organization_no');

--
-- Name: api_keys audit_changed_keys; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_keys" AFTER UPDATE ON "public"."api_keys" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('key', 'organization_no');

--
-- Name: mutes audit_changed_mutes; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_mutes" AFTER UPDATE ON "public"."mutes" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('mute', 'organization_no');

--
-- Name: tank_notes audit_changed_notes; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_notes" AFTER UPDATE ON "public"."tank_notes" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('note', 'organization_no');

--
-- Name: organizations audit_changed_organizations; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_organizations" AFTER UPDATE ON "public"."organizations" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('organization', 'no');

--
-- Name: note_pins audit_changed_pins; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_pins" AFTER UPDATE ON "public"."note_pins" REFERENCING NEW TABLE AS "changed_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_pins"();

--
-- Name: profile_assignments audit_changed_profile_assignments; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_profile_assignments" AFTER UPDATE ON "public"."profile_assignments" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('profile_assignment', 'organization_no');

--
-- Name: gauge_profiles audit_changed_profiles; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_profiles" AFTER UPDATE ON "public"."gauge_profiles" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('gauge_profile', 'organization_no');

--
-- Name: rounds audit_changed_rounds; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_rounds" AFTER UPDATE ON "public"."rounds" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('round', 'organization_no');

--
-- Name: tanks audit_changed_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_tanks" AFTER UPDATE ON "public"."tanks" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('tank', 'organization_no');

--
-- Name: text_channels audit_changed_text_channels; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_text_channels" AFTER UPDATE ON "public"."text_channels" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('text_channel', 'organization_no');

--
-- Name: trucks audit_changed_trucks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_trucks" AFTER UPDATE ON "public"."trucks" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('truck', 'organization_no');

--
-- Name: acknowledgements audit_new_acknowledgements; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_acknowledgements" AFTER INSERT ON "public"."acknowledgements" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('acknowledgement', 'organization_no');

--
-- Name: connectors audit_new_connectors; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_connectors" AFTER INSERT ON "public"."connectors" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('connector', 'organization_no');

--
-- Name: contacts audit_new_contacts; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_contacts" AFTER INSERT ON "public"."contacts" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('contact', 'organization_no');

--
-- Name: device_credentials audit_new_credentials; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_credentials" AFTER INSERT ON "public"."device_credentials" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('device', 'organization_no');

--
-- Name: customers audit_new_customers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_customers" AFTER INSERT ON "public"."customers" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('customer', 'organization_no');

--
-- Name: delivery_days audit_new_delivery_days; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_delivery_days" AFTER INSERT ON "public"."delivery_days" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('delivery_days', 'organization_no');

--
-- Name: delivery_notes audit_new_delivery_notes; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_delivery_notes" AFTER INSERT ON "public"."delivery_notes" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('delivery_note', 'organization_no');

--
-- Name: depots audit_new_depots; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_depots" AFTER INSERT ON "public"."depots" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('depot', 'organization_no');

--
-- Name: waiting_dips audit_new_dips; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_dips" AFTER INSERT ON "public"."waiting_dips" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_dips"();

--
-- Name: drivers audit_new_drivers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_drivers" AFTER INSERT ON "public"."drivers" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('driver', 'organization_no');

--
-- Name: duty_plans audit_new_duty_plans; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_duty_plans" AFTER INSERT ON "public"."duty_plans" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('duty_plan', 'organization_no');

--
-- Name: webhook_endpoints audit_new_endpoints; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_endpoints" AFTER INSERT ON "public"."webhook_endpoints" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('webhook', 'organization_no');

--
-- Name: issuers audit_new_issuers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_issuers" AFTER INSERT ON "public"."issuers" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('issuer', 'organization_no');

--
-- Name: api_keys audit_new_keys; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_keys" AFTER INSERT ON "public"."api_keys" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('key', 'organization_no');

--
-- Name: mutes audit_new_mutes; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_mutes" AFTER INSERT ON "public"."mutes" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('mute', 'organization_no');

--
-- Name: tank_notes audit_new_notes; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_notes" AFTER INSERT ON "public"."tank_notes" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('note', 'organization_no');

--
-- Name: organizations audit_new_organizations; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_organizations" AFTER INSERT ON "public"."organizations" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('organization', 'no');

--
-- Name: note_pins audit_new_pins; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_pins" AFTER INSERT ON "public"."note_pins" REFERENCING NEW TABLE AS "changed_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_pins"();

--
-- Name: profile_assignments audit_new_profile_assignments; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_profile_assignments" AFTER INSERT ON "public"."profile_assignments" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('profile_assignment', 'organization_no');

--
-- Name: gauge_profiles audit_new_profiles; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_profiles" AFTER INSERT ON "public"."gauge_profiles" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('gauge_profile', 'organization_no');

--
-- Name: rounds audit_new_rounds; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_rounds" AFTER INSERT ON "public"."rounds" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('round', 'organization_no');

--
-- Name: tanks audit_new_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_tanks" AFTER INSERT ON "public"."tanks" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('tank', 'organization_no');

--
-- Name: text_channels audit_new_text_channels; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_text_channels" AFTER INSERT ON "public"."text_channels" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('text_channel', 'organization_no');

--
-- Name: trucks audit_new_trucks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_trucks" AFTER INSERT ON "public"."trucks" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('truck', 'organization_no');

--
-- Name: note_pins audit_removed_pins; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_removed_pins" AFTER DELETE ON "public"."note_pins" REFERENCING OLD TABLE AS "changed_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_pins"();

--
-- Name: round_stops audit_stop_outcome; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_stop_outcome" AFTER UPDATE ON "public"."round_stops" FOR EACH ROW WHEN (((((("old"."said" IS DISTINCT FROM "new"."said") OR ("old"."said_reason" IS DISTINCT FROM "new"."said_reason")) OR ("old"."said_litres" IS DISTINCT FROM "new"."said_litres")) OR ("old"."said_as" IS DISTINCT FROM "new"."said_as")) OR ("old"."said_at" IS DISTINCT FROM "new"."said_at"))) EXECUTE FUNCTION "public"."audit_stop_outcome"();

--
-- Name: customers count_changed_customers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "count_changed_customers" AFTER UPDATE ON "public"."customers" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."count_catalog_change"('organization_customers');

--
-- Name: tanks count_changed_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "count_changed_tanks" AFTER UPDATE ON "public"."tanks" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."count_catalog_change"('organization_tanks', 'owner_tanks');

--
-- Name: customers count_deleted_customers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "count_deleted_customers" AFTER DELETE ON "public"."customers" REFERENCING OLD TABLE AS "old_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."count_catalog_change"('organization_customers');

--
-- Name: tanks count_deleted_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "count_deleted_tanks" AFTER DELETE ON "public"."tanks" REFERENCING OLD TABLE AS "old_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."count_catalog_change"('organization_tanks', 'owner_tanks');

--
-- Name: customers count_new_customers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "count_new_customers" AFTER INSERT ON "public"."customers" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."count_catalog_change"('organization_customers');

--
-- Name: tanks count_new_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "count_new_tanks" AFTER INSERT ON "public"."tanks" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."count_catalog_change"('organization_tanks', 'owner_tanks');

--
-- Name: organizations delete_ledger; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "delete_ledger" AFTER UPDATE ON "public"."organizations" FOR EACH ROW WHEN ((("old"."erased_at" IS NULL) AND ("new"."erased_at" IS NOT NULL))) EXECUTE FUNCTION "public"."delete_ledger"();

--
-- Name: organizations delete_places; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "delete_places" AFTER UPDATE ON "public"."organizations" FOR EACH ROW WHEN ((("old"."erased_at" IS NULL) AND ("new"."erased_at" IS NOT NULL))) EXECUTE FUNCTION "public"."delete_places"();

--
-- Name: organizations delete_regional_rates; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "delete_regional_rates" AFTER UPDATE ON "public"."organizations" FOR EACH ROW WHEN ((("old"."erased_at" IS NULL) AND ("new"."erased_at" IS NOT NULL))) EXECUTE FUNCTION "public"."delete_regional_rates"();

--
-- Name: organizations delete_rounds; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "delete_rounds" AFTER UPDATE ON "public"."organizations" FOR EACH ROW WHEN ((("old"."erased_at" IS NULL) AND ("new"."erased_at" IS NOT NULL))) EXECUTE FUNCTION "public"."delete_rounds"();

--
-- Name: fleet_tanks end_resolved_conditions; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "end_resolved_conditions" BEFORE UPDATE ON "public"."fleet_tanks" FOR EACH ROW WHEN (((("new"."handled")::integer & 15) <> 0)) EXECUTE FUNCTION "public"."end_resolved_conditions"();

--
-- Name: issuers end_sessions_of_issuer; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "end_sessions_of_issuer" AFTER UPDATE ON "public"."issuers" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."end_sessions_of_issuer"();

--
-- Name: api_keys end_sessions_of_key; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "end_sessions_of_key" AFTER UPDATE ON "public"."api_keys" FOR EACH ROW WHEN (((("old"."revoked_at" IS DISTINCT FROM "new"."revoked_at") OR ("old"."expires_at" IS DISTINCT FROM "new"."expires_at")) OR ("old"."scopes" IS DISTINCT FROM "new"."scopes"))) EXECUTE FUNCTION "public"."end_sessions_of_key"();

--
-- Name: organizations end_sessions_of_organization; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "end_sessions_of_organization" AFTER UPDATE ON "public"."organizations" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."end_sessions_of_organization"();

--
-- Name: contacts end_sign_ins_of_contact; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "end_sign_ins_of_contact" AFTER UPDATE ON "public"."contacts" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ((("old"."email" IS DISTINCT FROM "new"."email") OR ("old"."has_console" IS DISTINCT FROM "new"."has_console")) OR ("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at")))) EXECUTE FUNCTION "public"."end_sign_ins"('contact_no');

--
-- Name: customers end_sign_ins_of_customer; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "end_sign_ins_of_customer" AFTER UPDATE ON "public"."customers" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ((("old"."email" IS DISTINCT FROM "new"."email") OR ("old"."is_verified" IS DISTINCT FROM "new"."is_verified")) OR ("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at")))) EXECUTE FUNCTION "public"."end_sign_ins"('customer_no');

--
-- Name: api_keys erase_activity_of_customer; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_activity_of_customer" AFTER UPDATE OF "name" ON "public"."api_keys" FOR EACH ROW WHEN ((("new"."name" = 'deleted customer'::"text") AND ("old"."name" IS DISTINCT FROM "new"."name"))) EXECUTE FUNCTION "public"."erase_key_activity"();

--
-- Name: api_keys erase_activity_of_deleted_key; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_activity_of_deleted_key" AFTER DELETE ON "public"."api_keys" FOR EACH ROW EXECUTE FUNCTION "public"."erase_key_activity"();

--
-- Name: tanks erase_comments_of_tank; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_comments_of_tank" AFTER UPDATE ON "public"."tanks" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_comments_of_tank"();

--
-- Name: contacts erase_contact_reach; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_contact_reach" AFTER UPDATE OF "deleted_at" ON "public"."contacts" FOR EACH ROW WHEN ((("new"."deleted_at" IS NOT NULL) AND ("old"."deleted_at" IS NULL))) EXECUTE FUNCTION "public"."erase_contact_reach"();

--
-- Name: customers erase_customer; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_customer" AFTER UPDATE ON "public"."customers" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_customer"();

--
-- Name: drivers erase_driver; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_driver" AFTER UPDATE ON "public"."drivers" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_driver"();

--
-- Name: drivers erase_external_key; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_external_key" BEFORE UPDATE ON "public"."drivers" FOR EACH ROW WHEN ((("new"."deleted_at" IS NOT NULL) AND ("new"."external_key" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_external_key"();

--
-- Name: tanks erase_external_key; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_external_key" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN ((("new"."deleted_at" IS NOT NULL) AND ("new"."external_key" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_external_key"();

--
-- Name: customers erase_notes_of_customer; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_notes_of_customer" AFTER UPDATE ON "public"."customers" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_notes_of_customer"();

--
-- Name: customers erase_phones; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_phones" BEFORE UPDATE ON "public"."customers" FOR EACH ROW WHEN (("new"."deleted_at" IS NOT NULL)) EXECUTE FUNCTION "public"."erase_phones"();

--
-- Name: tanks erase_stops_of_tank; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_stops_of_tank" AFTER UPDATE ON "public"."tanks" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_stops_of_tank"();

--
-- Name: contacts erase_stored_answers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_stored_answers" AFTER UPDATE ON "public"."contacts" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_stored_answers"('contact');

--
-- Name: tank_notes erase_stored_answers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_stored_answers" AFTER UPDATE ON "public"."tank_notes" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_stored_answers"('note');

--
-- Name: webhook_endpoints erase_stored_answers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_stored_answers" AFTER UPDATE ON "public"."webhook_endpoints" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_stored_answers"('webhook');

--
-- Name: tanks erase_tank; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_tank" AFTER UPDATE ON "public"."tanks" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_tank"();

--
-- Name: webhook_endpoints erase_webhook_secret; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_webhook_secret" BEFORE UPDATE ON "public"."webhook_endpoints" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_webhook_secret"();

--
-- Name: tank_gauges follow_changed_gauge; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_changed_gauge" AFTER UPDATE ON "public"."tank_gauges" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."follow_changed_gauge"();

--
-- Name: delivery_notes follow_changed_notes_of_estimated_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_changed_notes_of_estimated_tanks" AFTER UPDATE ON "public"."delivery_notes" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."follow_notes_of_estimated_tanks"();

--
-- Name: rounds follow_changed_round; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_changed_round" AFTER UPDATE ON "public"."rounds" FOR EACH ROW WHEN ((("old"."date" IS DISTINCT FROM "new"."date") OR ("old"."state" IS DISTINCT FROM "new"."state"))) EXECUTE FUNCTION "public"."follow_changed_round"();

--
-- Name: tanks follow_changed_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_changed_tanks" AFTER UPDATE ON "public"."tanks" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."follow_changed_tanks"();

--
-- Name: rounds follow_changed_truck; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_changed_truck" AFTER UPDATE ON "public"."rounds" FOR EACH ROW WHEN (("old"."truck_no" IS DISTINCT FROM "new"."truck_no")) EXECUTE FUNCTION "public"."follow_changed_truck"();

--
-- Name: webhook_endpoints follow_changes_of_webhook; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_changes_of_webhook" AFTER INSERT OR UPDATE OF "types", "deleted_at" ON "public"."webhook_endpoints" FOR EACH ROW EXECUTE FUNCTION "public"."follow_changes_of_webhook"();

--
-- Name: tanks follow_manual_devices; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_manual_devices" AFTER UPDATE ON "public"."tanks" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."follow_manual_devices"();

--
-- Name: tank_gauges follow_new_gauge; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_new_gauge" AFTER INSERT ON "public"."tank_gauges" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."follow_changed_gauge"();

--
-- Name: delivery_notes follow_new_notes_of_estimated_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_new_notes_of_estimated_tanks" AFTER INSERT ON "public"."delivery_notes" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."follow_notes_of_estimated_tanks"();

--
-- Name: tanks follow_product_in_ledger; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_product_in_ledger" AFTER UPDATE ON "public"."tanks" FOR EACH ROW WHEN (("old"."product" IS DISTINCT FROM "new"."product")) EXECUTE FUNCTION "public"."follow_tank_in_ledger"();

--
-- Name: tank_gauges follow_removed_gauge; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_removed_gauge" AFTER DELETE ON "public"."tank_gauges" REFERENCING OLD TABLE AS "old_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."follow_changed_gauge"();

--
-- Name: round_stops follow_stops_of_estimated_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_stops_of_estimated_tanks" AFTER UPDATE ON "public"."round_stops" FOR EACH ROW WHEN ((("new"."tank_no" IS NOT NULL) AND ((("old"."said_at" IS DISTINCT FROM "new"."said_at") OR ("old"."said_litres" IS DISTINCT FROM "new"."said_litres")) OR ("old"."said_filled_to" IS DISTINCT FROM "new"."said_filled_to")))) EXECUTE FUNCTION "public"."follow_stops_of_estimated_tanks"();

--
-- Name: tanks follow_tank_in_ledger; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_tank_in_ledger" AFTER UPDATE ON "public"."tanks" FOR EACH ROW WHEN (((((("old"."owner_no" IS DISTINCT FROM "new"."owner_no") OR ("old"."assigned_device_id" IS DISTINCT FROM "new"."assigned_device_id")) OR ("old"."capacity" IS DISTINCT FROM "new"."capacity")) OR ("old"."capacity_unit" IS DISTINCT FROM "new"."capacity_unit")) OR ("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at"))) EXECUTE FUNCTION "public"."follow_tank_in_ledger"();

--
-- Name: estimated_tanks follow_told_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_told_tanks" AFTER UPDATE ON "public"."estimated_tanks" FOR EACH ROW WHEN (("old"."is_told" <> "new"."is_told")) EXECUTE FUNCTION "public"."follow_told_tanks"();

--
-- Name: tanks forget_handling; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "forget_handling" AFTER UPDATE ON "public"."tanks" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."forget_handling"();

--
-- Name: organizations forget_unusual_use; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "forget_unusual_use" AFTER UPDATE ON "public"."organizations" FOR EACH ROW WHEN ((("old"."unusual_use_off_at" IS NULL) AND ("new"."unusual_use_off_at" IS NOT NULL))) EXECUTE FUNCTION "public"."forget_unusual_use"();

--
-- Name: texts hasten_escalation; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "hasten_escalation" AFTER UPDATE OF "status" ON "public"."texts" FOR EACH ROW WHEN ((("new"."status" = 'failed'::"text") AND ("old"."status" <> 'failed'::"text") AND ("new"."escalation_no" IS NOT NULL))) EXECUTE FUNCTION "public"."hasten_escalation"();

--
-- Name: events keep_connector_event; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "keep_connector_event" BEFORE UPDATE ON "public"."events" FOR EACH ROW WHEN ((("old"."type" ~~ 'connector.%'::"text") AND ("new"."retracted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."keep_work_event"();

--
-- Name: contacts keep_console_roles; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "keep_console_roles" BEFORE INSERT OR UPDATE ON "public"."contacts" FOR EACH ROW EXECUTE FUNCTION "public"."keep_console_roles"();

--
-- Name: events keep_device_event; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "keep_device_event" BEFORE UPDATE ON "public"."events" FOR EACH ROW WHEN ((("old"."type" ~~ 'device.%'::"text") AND ("new"."retracted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."keep_work_event"();

--
-- Name: delivery_notes keep_former_notes; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "keep_former_notes" AFTER UPDATE ON "public"."delivery_notes" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."keep_former_notes"();

--
-- Name: round_stops keep_former_stops; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "keep_former_stops" AFTER DELETE ON "public"."round_stops" FOR EACH ROW WHEN (("old"."tank_no" IS NOT NULL)) EXECUTE FUNCTION "public"."keep_former_stops"();

--
-- Name: events keep_work_event; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "keep_work_event" BEFORE UPDATE ON "public"."events" FOR EACH ROW WHEN ((("old"."type" = ANY (ARRAY['tank.acknowledged'::"text", 'tank.acknowledgement_ended'::"text", 'tank.muted'::"text", 'tank.unmuted'::"text"])) AND ("new"."retracted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."keep_work_event"();

--
-- Name: acknowledgements mark_acknowledged; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "mark_acknowledged" AFTER INSERT ON "public"."acknowledgements" FOR EACH ROW EXECUTE FUNCTION "public"."mark_acknowledged"();

--
-- Name: delivery_notes mark_changed_notes; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "mark_changed_notes" AFTER UPDATE ON "public"."delivery_notes" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."mark_ledgers_of_notes"();

--
-- Name: note_pins mark_changed_pins; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "mark_changed_pins" AFTER UPDATE ON "public"."note_pins" REFERENCING NEW TABLE AS "changed_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."mark_ledgers_of_pins"();

--
-- Name: note_pins mark_deleted_pins; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "mark_deleted_pins" AFTER DELETE ON "public"."note_pins" REFERENCING OLD TABLE AS "changed_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."mark_ledgers_of_pins"();

--
-- Name: acknowledgements mark_ended; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "mark_ended" AFTER UPDATE ON "public"."acknowledgements" FOR EACH ROW WHEN ((("old"."ended_at" IS NULL) AND ("new"."ended_at" IS NOT NULL))) EXECUTE FUNCTION "public"."mark_acknowledged"();

--
-- Name: events mark_ledgers_of_changed_events; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "mark_ledgers_of_changed_events" AFTER UPDATE ON "public"."events" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."mark_ledgers_of_events"();

--
-- Name: events mark_ledgers_of_new_events; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "mark_ledgers_of_new_events" AFTER INSERT ON "public"."events" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."mark_ledgers_of_events"();

--
-- Name: trucks mark_ledgers_of_truck; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "mark_ledgers_of_truck" AFTER UPDATE ON "public"."trucks" FOR EACH ROW WHEN (("old"."is_compensated" IS DISTINCT FROM "new"."is_compensated")) EXECUTE FUNCTION "public"."mark_ledgers_of_truck"();

--
-- Name: mutes mark_muted; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "mark_muted" AFTER INSERT OR UPDATE ON "public"."mutes" FOR EACH ROW EXECUTE FUNCTION "public"."mark_muted"();

--
-- Name: delivery_notes mark_new_notes; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "mark_new_notes" AFTER INSERT ON "public"."delivery_notes" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."mark_ledgers_of_notes"();

--
-- Name: note_pins mark_new_pins; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "mark_new_pins" AFTER INSERT ON "public"."note_pins" REFERENCING NEW TABLE AS "changed_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."mark_ledgers_of_pins"();

--
-- Name: tank_notes mark_noted; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "mark_noted" AFTER INSERT OR UPDATE ON "public"."tank_notes" FOR EACH ROW EXECUTE FUNCTION "public"."mark_noted"();

--
-- Name: customers number_changed_customer; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_changed_customer" BEFORE UPDATE ON "public"."customers" FOR EACH ROW WHEN ((((((((("old"."external_key" IS DISTINCT FROM "new"."external_key") OR ("old"."email" IS DISTINCT FROM "new"."email")) OR ("old"."name" IS DISTINCT FROM "new"."name")) OR ("old"."phone" IS DISTINCT FROM "new"."phone")) OR ("old"."is_verified" IS DISTINCT FROM "new"."is_verified")) OR ("old"."verified_at" IS DISTINCT FROM "new"."verified_at")) OR ("old"."created_at" IS DISTINCT FROM "new"."created_at")) OR ("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at"))) EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: tanks number_changed_device_settings; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_changed_device_settings" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN ((("old"."report_interval_hours" IS DISTINCT FROM "new"."report_interval_hours") OR ("old"."is_mobile" IS DISTINCT FROM "new"."is_mobile"))) EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: ledger_entries number_changed_entry; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_changed_entry" BEFORE UPDATE ON "public"."ledger_entries" FOR EACH ROW WHEN (("old".* IS DISTINCT FROM "new".*)) EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: tanks number_changed_external_key; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_changed_external_key" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN (("old"."external_key" IS DISTINCT FROM "new"."external_key")) EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: tanks number_changed_levels; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_changed_levels" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN (("old"."levels_changed_at" IS DISTINCT FROM "new"."levels_changed_at")) EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: delivery_notes number_changed_note; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_changed_note" BEFORE UPDATE ON "public"."delivery_notes" FOR EACH ROW WHEN (("old".* IS DISTINCT FROM "new".*)) EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: tanks number_changed_order_threshold; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_changed_order_threshold" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN (("old"."order_threshold_percentage" IS DISTINCT FROM "new"."order_threshold_percentage")) EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: customers number_changed_phones; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_changed_phones" BEFORE UPDATE ON "public"."customers" FOR EACH ROW WHEN (((("old"."phone_whose" IS DISTINCT FROM "new"."phone_whose") OR ("old"."is_phone_texted" IS DISTINCT FROM "new"."is_phone_texted")) OR ("old"."other_phones" IS DISTINCT FROM "new"."other_phones"))) EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: tanks number_changed_product; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_changed_product" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN ((("old"."product" IS DISTINCT FROM "new"."product") OR ("old"."fill_limit_percentage" IS DISTINCT FROM "new"."fill_limit_percentage"))) EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: rounds number_changed_round; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_changed_round" BEFORE UPDATE ON "public"."rounds" FOR EACH ROW WHEN (("old".* IS DISTINCT FROM "new".*)) EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: tanks number_changed_tank; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_changed_tank" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN (((((((((((((((((((("old"."owner_no" IS DISTINCT FROM "new"."owner_no") OR ("old"."assigned_device_id" IS DISTINCT FROM "new"."assigned_device_id")) OR ("old"."capacity" IS DISTINCT FROM "new"."capacity")) OR ("old"."capacity_unit" IS DISTINCT FROM "new"."capacity_unit")) OR ("old"."custom_id" IS DISTINCT FROM "new"."custom_id")) OR ("old"."min_fill_alert_percentage" IS DISTINCT FROM "new"."min_fill_alert_percentage")) OR ("old"."name" IS DISTINCT FROM "new"."name")) OR ("old"."use_case" IS DISTINCT FROM "new"."use_case")) OR ("old"."created_at" IS DISTINCT FROM "new"."created_at")) OR ("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at")) OR ("old"."city" IS DISTINCT FROM "new"."city")) OR ("old"."country" IS DISTINCT FROM "new"."country")) OR ("old"."district" IS DISTINCT FROM "new"."district")) OR ("old"."latitude" IS DISTINCT FROM "new"."latitude")) OR ("old"."longitude" IS DISTINCT FROM "new"."longitude")) OR ("old"."postal_code" IS DISTINCT FROM "new"."postal_code")) OR ("old"."region" IS DISTINCT FROM "new"."region")) OR ("old"."street" IS DISTINCT FROM "new"."street")) OR ("old"."street_number" IS DISTINCT FROM "new"."street_number"))) EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: customers number_new_customer; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_new_customer" BEFORE INSERT ON "public"."customers" FOR EACH ROW EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: ledger_entries number_new_entry; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_new_entry" BEFORE INSERT ON "public"."ledger_entries" FOR EACH ROW EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: delivery_notes number_new_note; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_new_note" BEFORE INSERT ON "public"."delivery_notes" FOR EACH ROW EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: rounds number_new_round; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_new_round" BEFORE INSERT ON "public"."rounds" FOR EACH ROW EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: tanks number_new_tank; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "number_new_tank" BEFORE INSERT ON "public"."tanks" FOR EACH ROW EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: profile_assignments record_assignment_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_assignment_change" BEFORE UPDATE ON "public"."profile_assignments" FOR EACH ROW EXECUTE FUNCTION "public"."record_change_xid"();

--
-- Name: contacts record_changed_console; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_changed_console" AFTER UPDATE ON "public"."contacts" FOR EACH ROW WHEN ((("old"."has_console" IS DISTINCT FROM "new"."has_console") AND ("new"."deleted_at" IS NULL))) EXECUTE FUNCTION "public"."record_removal"('console', 'id');

--
-- Name: device_credentials record_changed_credential; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_changed_credential" AFTER UPDATE ON "public"."device_credentials" FOR EACH ROW WHEN ((("old"."generation" IS DISTINCT FROM "new"."generation") OR ("old"."revoked_at" IS DISTINCT FROM "new"."revoked_at"))) EXECUTE FUNCTION "public"."record_removal"('device', 'device_id');

--
-- Name: device_credentials record_credential_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_credential_change" BEFORE UPDATE ON "public"."device_credentials" FOR EACH ROW WHEN ((("old"."generation" IS DISTINCT FROM "new"."generation") OR ("old"."revoked_at" IS DISTINCT FROM "new"."revoked_at"))) EXECUTE FUNCTION "public"."record_change_xid"();

--
-- Name: organizations record_deleted_organization; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_deleted_organization" AFTER UPDATE ON "public"."organizations" FOR EACH ROW WHEN (("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at")) EXECUTE FUNCTION "public"."record_deleted_organization"();

--
-- Name: webhook_endpoints record_disabled_webhook; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_disabled_webhook" AFTER UPDATE ON "public"."webhook_endpoints" FOR EACH ROW WHEN ((("old"."disabled_at" IS DISTINCT FROM "new"."disabled_at") AND (('operator'::"text" = "old"."disabled_because") OR ('operator'::"text" = "new"."disabled_because")))) EXECUTE FUNCTION "public"."record_removal"('webhook', 'id');

--
-- Name: api_keys record_ended_key; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_ended_key" AFTER UPDATE ON "public"."api_keys" FOR EACH ROW WHEN ((("old"."revoked_at" IS DISTINCT FROM "new"."revoked_at") OR ("old"."expires_at" IS DISTINCT FROM "new"."expires_at"))) EXECUTE FUNCTION "public"."record_removal"('key', 'prefix');

--
-- Name: api_keys record_key_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_key_change" BEFORE UPDATE ON "public"."api_keys" FOR EACH ROW WHEN ((((((((("old"."secret_sha256" IS DISTINCT FROM "new"."secret_sha256") OR ("old"."organization_no" IS DISTINCT FROM "new"."organization_no")) OR ("old"."customer_no" IS DISTINCT FROM "new"."customer_no")) OR ("old"."scopes" IS DISTINCT FROM "new"."scopes")) OR ("old"."requests_per_second" IS DISTINCT FROM "new"."requests_per_second")) OR ("old"."burst" IS DISTINCT FROM "new"."burst")) OR ("old"."expires_at" IS DISTINCT FROM "new"."expires_at")) OR ("old"."revoked_at" IS DISTINCT FROM "new"."revoked_at"))) EXECUTE FUNCTION "public"."record_change_xid"();

--
-- Name: tanks record_moved_assignments; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_moved_assignments" AFTER UPDATE ON "public"."tanks" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."record_moved_assignments"();

--
-- Name: tanks record_new_assignments; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_new_assignments" AFTER INSERT ON "public"."tanks" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."record_new_assignments"();

--
-- Name: device_credentials record_new_credential; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_new_credential" AFTER INSERT ON "public"."device_credentials" FOR EACH ROW EXECUTE FUNCTION "public"."record_removal"('device', 'device_id');

--
-- Name: gauge_profiles record_profile_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_profile_change" BEFORE UPDATE ON "public"."gauge_profiles" FOR EACH ROW EXECUTE FUNCTION "public"."record_change_xid"();

--
-- Name: contacts record_removed_contact; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_removed_contact" AFTER UPDATE ON "public"."contacts" FOR EACH ROW WHEN (("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at")) EXECUTE FUNCTION "public"."record_removal"('contact', 'id');

--
-- Name: customers record_removed_customer; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_removed_customer" AFTER UPDATE ON "public"."customers" FOR EACH ROW WHEN (("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at")) EXECUTE FUNCTION "public"."record_removal"('customer', 'id');

--
-- Name: drivers record_removed_driver; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_removed_driver" AFTER UPDATE ON "public"."drivers" FOR EACH ROW WHEN (("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at")) EXECUTE FUNCTION "public"."record_removal"('driver', 'id');

--
-- Name: ledger_entries record_removed_entries; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_removed_entries" AFTER DELETE ON "public"."ledger_entries" REFERENCING OLD TABLE AS "old_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."record_feed_removals"('verdict');

--
-- Name: delivery_notes record_removed_notes; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_removed_notes" AFTER DELETE ON "public"."delivery_notes" REFERENCING OLD TABLE AS "old_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."record_feed_removals"('delivery_note');

--
-- Name: round_stops record_removed_stops; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_removed_stops" AFTER DELETE ON "public"."round_stops" REFERENCING OLD TABLE AS "old_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."record_feed_removals"('stop');

--
-- Name: tanks record_removed_tank; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_removed_tank" AFTER UPDATE ON "public"."tanks" FOR EACH ROW WHEN (("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at")) EXECUTE FUNCTION "public"."record_removal"('tank', 'id');

--
-- Name: organization_secrets record_secret_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_secret_change" BEFORE UPDATE ON "public"."organization_secrets" FOR EACH ROW EXECUTE FUNCTION "public"."record_change_xid"();

--
-- Name: sessions record_session_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_session_change" BEFORE UPDATE ON "public"."sessions" FOR EACH ROW EXECUTE FUNCTION "public"."record_session_change"();

--
-- Name: tanks record_settings_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_settings_change" AFTER UPDATE ON "public"."tanks" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."record_settings_change"();

--
-- Name: reminder_unsubscribes record_unsubscribe; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_unsubscribe" AFTER INSERT ON "public"."reminder_unsubscribes" FOR EACH ROW EXECUTE FUNCTION "public"."record_unsubscribe"();

--
-- Name: delivery_notes reevaluate_before_changed_notes; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "reevaluate_before_changed_notes" AFTER UPDATE ON "public"."delivery_notes" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."reevaluate_before_notes"();

--
-- Name: delivery_notes reevaluate_before_new_notes; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "reevaluate_before_new_notes" AFTER INSERT ON "public"."delivery_notes" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."reevaluate_before_notes"();

--
-- Name: tanks set_batch_tank_changed_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "set_batch_tank_changed_at" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN (("old"."is_batch_tank" IS DISTINCT FROM "new"."is_batch_tank")) EXECUTE FUNCTION "public"."set_settings_changed_at"();

--
-- Name: customers set_customer_updated_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "set_customer_updated_at" BEFORE UPDATE ON "public"."customers" FOR EACH ROW WHEN (((((((("old"."email" IS DISTINCT FROM "new"."email") OR ("old"."is_verified" IS DISTINCT FROM "new"."is_verified")) OR ("old"."name" IS DISTINCT FROM "new"."name")) OR ("old"."phone" IS DISTINCT FROM "new"."phone")) OR ("old"."verified_at" IS DISTINCT FROM "new"."verified_at")) OR ("old"."created_at" IS DISTINCT FROM "new"."created_at")) OR ("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at"))) EXECUTE FUNCTION "public"."set_updated_at"();

--
-- Name: tanks set_device_settings_changed_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "set_device_settings_changed_at" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN ((("old"."report_interval_hours" IS DISTINCT FROM "new"."report_interval_hours") OR ("old"."is_mobile" IS DISTINCT FROM "new"."is_mobile"))) EXECUTE FUNCTION "public"."set_settings_changed_at"();

--
-- Name: delivery_notes set_note_updated_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "set_note_updated_at" BEFORE UPDATE ON "public"."delivery_notes" FOR EACH ROW EXECUTE FUNCTION "public"."set_updated_at"();

--
-- Name: tanks set_order_threshold_changed_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "set_order_threshold_changed_at" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN (("old"."order_threshold_percentage" IS DISTINCT FROM "new"."order_threshold_percentage")) EXECUTE FUNCTION "public"."set_settings_changed_at"();

--
-- Name: customers set_phones_updated_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "set_phones_updated_at" BEFORE UPDATE ON "public"."customers" FOR EACH ROW WHEN (((("old"."phone_whose" IS DISTINCT FROM "new"."phone_whose") OR ("old"."is_phone_texted" IS DISTINCT FROM "new"."is_phone_texted")) OR ("old"."other_phones" IS DISTINCT FROM "new"."other_phones"))) EXECUTE FUNCTION "public"."set_updated_at"();

--
-- Name: organizations set_route_tag; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "set_route_tag" BEFORE INSERT ON "public"."organizations" FOR EACH ROW WHEN (("new"."route_tag" IS NULL)) EXECUTE FUNCTION "public"."set_route_tag"();

--
-- Name: tanks set_settings_changed_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "set_settings_changed_at" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN (((("old"."min_fill_alert_percentage" IS DISTINCT FROM "new"."min_fill_alert_percentage") OR ("old"."capacity" IS DISTINCT FROM "new"."capacity")) OR ("old"."capacity_unit" IS DISTINCT FROM "new"."capacity_unit"))) EXECUTE FUNCTION "public"."set_settings_changed_at"();

--
-- Name: round_stops set_stop_openness; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "set_stop_openness" BEFORE INSERT OR UPDATE ON "public"."round_stops" FOR EACH ROW EXECUTE FUNCTION "public"."set_stop_openness"();

--
-- Name: tanks set_tank_updated_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "set_tank_updated_at" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN (((((((((((((((((((("old"."owner_no" IS DISTINCT FROM "new"."owner_no") OR ("old"."assigned_device_id" IS DISTINCT FROM "new"."assigned_device_id")) OR ("old"."capacity" IS DISTINCT FROM "new"."capacity")) OR ("old"."capacity_unit" IS DISTINCT FROM "new"."capacity_unit")) OR ("old"."custom_id" IS DISTINCT FROM "new"."custom_id")) OR ("old"."min_fill_alert_percentage" IS DISTINCT FROM "new"."min_fill_alert_percentage")) OR ("old"."name" IS DISTINCT FROM "new"."name")) OR ("old"."use_case" IS DISTINCT FROM "new"."use_case")) OR ("old"."created_at" IS DISTINCT FROM "new"."created_at")) OR ("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at")) OR ("old"."city" IS DISTINCT FROM "new"."city")) OR ("old"."country" IS DISTINCT FROM "new"."country")) OR ("old"."district" IS DISTINCT FROM "new"."district")) OR ("old"."latitude" IS DISTINCT FROM "new"."latitude")) OR ("old"."longitude" IS DISTINCT FROM "new"."longitude")) OR ("old"."postal_code" IS DISTINCT FROM "new"."postal_code")) OR ("old"."region" IS DISTINCT FROM "new"."region")) OR ("old"."street" IS DISTINCT FROM "new"."street")) OR ("old"."street_number" IS DISTINCT FROM "new"."street_number"))) EXECUTE FUNCTION "public"."set_updated_at"();

--
-- Name: round_stops take_number_changed_stop; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "take_number_changed_stop" BEFORE UPDATE ON "public"."round_stops" FOR EACH ROW WHEN (("old".* IS DISTINCT FROM "new".*)) EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: round_stops take_number_new_stop; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "take_number_new_stop" BEFORE INSERT ON "public"."round_stops" FOR EACH ROW EXECUTE FUNCTION "public"."set_change_number"();

--
-- Name: contacts touch_sessions_of_contact; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "touch_sessions_of_contact" AFTER UPDATE ON "public"."contacts" FOR EACH ROW WHEN (("old"."roles" IS DISTINCT FROM "new"."roles")) EXECUTE FUNCTION "public"."touch_sessions_of_contact"();

--
-- Name: customers write_texts_of_changed_customers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "write_texts_of_changed_customers" AFTER UPDATE ON "public"."customers" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."write_texts_of_customers"();

--
-- Name: customers write_texts_of_new_customers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "write_texts_of_new_customers" AFTER INSERT ON "public"."customers" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."write_texts_of_customers"();

--
-- Name: alert_scores alert_scores_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."alert_scores"
    ADD CONSTRAINT "alert_scores_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no") ON DELETE CASCADE;

--
-- Name: api_keys api_keys_organization_no_customer_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."api_keys"
    ADD CONSTRAINT "api_keys_organization_no_customer_no_fkey" FOREIGN KEY ("organization_no", "customer_no") REFERENCES "public"."customers"("organization_no", "no");

--
-- Name: api_keys api_keys_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."api_keys"
    ADD CONSTRAINT "api_keys_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: broker_cleanups broker_cleanups_connector_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."broker_cleanups"
    ADD CONSTRAINT "broker_cleanups_connector_no_fkey" FOREIGN KEY ("connector_no") REFERENCES "public"."connectors"("no") ON DELETE CASCADE;

--
-- Name: connector_devices connector_devices_connector_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."connector_devices"
    ADD CONSTRAINT "connector_devices_connector_no_fkey" FOREIGN KEY ("connector_no") REFERENCES "public"."connectors"("no") ON DELETE CASCADE;

--
-- Name: connector_states connector_states_connector_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."connector_states"
    ADD CONSTRAINT "connector_states_connector_no_fkey" FOREIGN KEY ("connector_no") REFERENCES "public"."connectors"("no") ON DELETE CASCADE;

--
-- Name: connectors connectors_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."connectors"
    ADD CONSTRAINT "connectors_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: contact_reach contact_reach_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."contact_reach"
    ADD CONSTRAINT "contact_reach_no_fkey" FOREIGN KEY ("no") REFERENCES "public"."contacts"("no") ON DELETE CASCADE;

--
-- Name: contact_reach contact_reach_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."contact_reach"
    ADD CONSTRAINT "contact_reach_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: contacts contacts_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."contacts"
    ADD CONSTRAINT "contacts_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: customers customers_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."customers"
    ADD CONSTRAINT "customers_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: delivery_days delivery_days_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."delivery_days"
    ADD CONSTRAINT "delivery_days_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: depots depots_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."depots"
    ADD CONSTRAINT "depots_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: device_credentials device_credentials_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."device_credentials"
    ADD CONSTRAINT "device_credentials_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: device_mails device_mails_contact_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."device_mails"
    ADD CONSTRAINT "device_mails_contact_no_fkey" FOREIGN KEY ("contact_no") REFERENCES "public"."contacts"("no");

--
-- Name: device_password_issues device_password_issues_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."device_password_issues"
    ADD CONSTRAINT "device_password_issues_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: digests digests_contact_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."digests"
    ADD CONSTRAINT "digests_contact_no_fkey" FOREIGN KEY ("contact_no") REFERENCES "public"."contacts"("no") ON DELETE CASCADE;

--
-- Name: driver_entries driver_entries_round_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."driver_entries"
    ADD CONSTRAINT "driver_entries_round_no_fkey" FOREIGN KEY ("round_no") REFERENCES "public"."rounds"("no") ON DELETE CASCADE;

--
-- Name: drivers drivers_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."drivers"
    ADD CONSTRAINT "drivers_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: duty_plans duty_plans_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."duty_plans"
    ADD CONSTRAINT "duty_plans_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: event_mails event_mails_event_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."event_mails"
    ADD CONSTRAINT "event_mails_event_no_fkey" FOREIGN KEY ("event_no") REFERENCES "public"."events"("no");

--
-- Name: former_notes former_notes_note_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."former_notes"
    ADD CONSTRAINT "former_notes_note_no_fkey" FOREIGN KEY ("note_no") REFERENCES "public"."delivery_notes"("no") ON DELETE CASCADE;

--
-- Name: former_stops former_stops_round_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."former_stops"
    ADD CONSTRAINT "former_stops_round_no_fkey" FOREIGN KEY ("round_no") REFERENCES "public"."rounds"("no") ON DELETE CASCADE;

--
-- Name: gauge_profiles gauge_profiles_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."gauge_profiles"
    ADD CONSTRAINT "gauge_profiles_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: identities identities_contact_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."identities"
    ADD CONSTRAINT "identities_contact_no_fkey" FOREIGN KEY ("contact_no") REFERENCES "public"."contacts"("no") ON DELETE CASCADE;

--
-- Name: identities identities_issuer_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."identities"
    ADD CONSTRAINT "identities_issuer_no_fkey" FOREIGN KEY ("issuer_no") REFERENCES "public"."issuers"("no") ON DELETE CASCADE;

--
-- Name: imported_rows imported_rows_import_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."imported_rows"
    ADD CONSTRAINT "imported_rows_import_no_fkey" FOREIGN KEY ("import_no") REFERENCES "public"."imports"("no") ON DELETE CASCADE;

--
-- Name: imports imports_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."imports"
    ADD CONSTRAINT "imports_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: issuers issuers_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."issuers"
    ADD CONSTRAINT "issuers_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: ledger_clock_samples ledger_clock_samples_note_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."ledger_clock_samples"
    ADD CONSTRAINT "ledger_clock_samples_note_no_fkey" FOREIGN KEY ("note_no") REFERENCES "public"."delivery_notes"("no") ON DELETE CASCADE;

--
-- Name: note_pins note_pins_note_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."note_pins"
    ADD CONSTRAINT "note_pins_note_no_fkey" FOREIGN KEY ("note_no") REFERENCES "public"."delivery_notes"("no") ON DELETE CASCADE;

--
-- Name: organization_secrets organization_secrets_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."organization_secrets"
    ADD CONSTRAINT "organization_secrets_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: place_temperatures place_temperatures_place_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."place_temperatures"
    ADD CONSTRAINT "place_temperatures_place_no_fkey" FOREIGN KEY ("place_no") REFERENCES "public"."places"("no") ON DELETE CASCADE;

--
-- Name: places places_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."places"
    ADD CONSTRAINT "places_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: profile_assignments profile_assignments_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."profile_assignments"
    ADD CONSTRAINT "profile_assignments_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: push_subscriptions push_subscriptions_contact_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."push_subscriptions"
    ADD CONSTRAINT "push_subscriptions_contact_no_fkey" FOREIGN KEY ("contact_no") REFERENCES "public"."contacts"("no") ON DELETE CASCADE;

--
-- Name: push_subscriptions push_subscriptions_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."push_subscriptions"
    ADD CONSTRAINT "push_subscriptions_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: regional_rates regional_rates_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."regional_rates"
    ADD CONSTRAINT "regional_rates_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: reminder_unsubscribes reminder_unsubscribes_customer_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."reminder_unsubscribes"
    ADD CONSTRAINT "reminder_unsubscribes_customer_no_fkey" FOREIGN KEY ("customer_no") REFERENCES "public"."customers"("no");

--
-- Name: round_stops round_stops_round_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."round_stops"
    ADD CONSTRAINT "round_stops_round_no_fkey" FOREIGN KEY ("round_no") REFERENCES "public"."rounds"("no") ON DELETE CASCADE;

--
-- Name: rounds rounds_organization_no_driver_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."rounds"
    ADD CONSTRAINT "rounds_organization_no_driver_no_fkey" FOREIGN KEY ("organization_no", "driver_no") REFERENCES "public"."drivers"("organization_no", "no");

--
-- Name: rounds rounds_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."rounds"
    ADD CONSTRAINT "rounds_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: rounds rounds_organization_no_truck_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."rounds"
    ADD CONSTRAINT "rounds_organization_no_truck_no_fkey" FOREIGN KEY ("organization_no", "truck_no") REFERENCES "public"."trucks"("organization_no", "no");

--
-- Name: sessions sessions_contact_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."sessions"
    ADD CONSTRAINT "sessions_contact_no_fkey" FOREIGN KEY ("contact_no") REFERENCES "public"."contacts"("no") ON DELETE CASCADE;

--
-- Name: sessions sessions_key_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."sessions"
    ADD CONSTRAINT "sessions_key_no_fkey" FOREIGN KEY ("key_no") REFERENCES "public"."api_keys"("no") ON DELETE CASCADE;

--
-- Name: sessions sessions_organization_no_customer_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."sessions"
    ADD CONSTRAINT "sessions_organization_no_customer_no_fkey" FOREIGN KEY ("organization_no", "customer_no") REFERENCES "public"."customers"("organization_no", "no") ON DELETE CASCADE;

--
-- Name: tank_weather tank_weather_place_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tank_weather"
    ADD CONSTRAINT "tank_weather_place_no_fkey" FOREIGN KEY ("place_no") REFERENCES "public"."places"("no") ON DELETE CASCADE;

--
-- Name: tank_weather tank_weather_tank_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tank_weather"
    ADD CONSTRAINT "tank_weather_tank_no_fkey" FOREIGN KEY ("tank_no") REFERENCES "public"."fleet_tanks"("tank_no") ON DELETE CASCADE;

--
-- Name: tanks tanks_organization_no_owner_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tanks"
    ADD CONSTRAINT "tanks_organization_no_owner_no_fkey" FOREIGN KEY ("organization_no", "owner_no") REFERENCES "public"."customers"("organization_no", "no");

--
-- Name: text_channels text_channels_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."text_channels"
    ADD CONSTRAINT "text_channels_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: trucks trucks_organization_no_depot_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."trucks"
    ADD CONSTRAINT "trucks_organization_no_depot_no_fkey" FOREIGN KEY ("organization_no", "depot_no") REFERENCES "public"."depots"("organization_no", "no");

--
-- Name: trucks trucks_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."trucks"
    ADD CONSTRAINT "trucks_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: webhook_deliveries webhook_deliveries_endpoint_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."webhook_deliveries"
    ADD CONSTRAINT "webhook_deliveries_endpoint_no_fkey" FOREIGN KEY ("endpoint_no") REFERENCES "public"."webhook_endpoints"("no");

--
-- Name: webhook_deliveries webhook_deliveries_event_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."webhook_deliveries"
    ADD CONSTRAINT "webhook_deliveries_event_no_fkey" FOREIGN KEY ("event_no") REFERENCES "public"."events"("no");

--
-- Name: webhook_endpoints webhook_endpoints_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."webhook_endpoints"
    ADD CONSTRAINT "webhook_endpoints_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: webhook_followers webhook_followers_endpoint_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."webhook_followers"
    ADD CONSTRAINT "webhook_followers_endpoint_no_fkey" FOREIGN KEY ("endpoint_no") REFERENCES "public"."webhook_endpoints"("no") ON DELETE CASCADE;

--
-- Name: webhook_tests webhook_tests_endpoint_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."webhook_tests"
    ADD CONSTRAINT "webhook_tests_endpoint_no_fkey" FOREIGN KEY ("endpoint_no") REFERENCES "public"."webhook_endpoints"("no") ON DELETE CASCADE;

--
-- Name: _private_job_queues; Type: ROW SECURITY; Schema: graphile_worker; Owner: -
--

ALTER TABLE "graphile_worker"."_private_job_queues" ENABLE ROW LEVEL SECURITY;

--
-- Name: _private_jobs; Type: ROW SECURITY; Schema: graphile_worker; Owner: -
--

ALTER TABLE "graphile_worker"."_private_jobs" ENABLE ROW LEVEL SECURITY;

--
-- Name: _private_known_crontabs; Type: ROW SECURITY; Schema: graphile_worker; Owner: -
--

ALTER TABLE "graphile_worker"."_private_known_crontabs" ENABLE ROW LEVEL SECURITY;

--
-- Name: _private_tasks; Type: ROW SECURITY; Schema: graphile_worker; Owner: -
--

ALTER TABLE "graphile_worker"."_private_tasks" ENABLE ROW LEVEL SECURITY;

--
-- Name: _private_job_queues worker; Type: POLICY; Schema: graphile_worker; Owner: -
--

CREATE POLICY "worker" ON "graphile_worker"."_private_job_queues" TO "tankwatch_worker" USING (true);

--
-- Name: _private_jobs worker; Type: POLICY; Schema: graphile_worker; Owner: -
--

CREATE POLICY "worker" ON "graphile_worker"."_private_jobs" TO "tankwatch_worker" USING (true);

--
-- Name: _private_known_crontabs worker; Type: POLICY; Schema: graphile_worker; Owner: -
--

CREATE POLICY "worker" ON "graphile_worker"."_private_known_crontabs" TO "tankwatch_worker" USING (true);

--
-- Name: _private_tasks worker; Type: POLICY; Schema: graphile_worker; Owner: -
--

CREATE POLICY "worker" ON "graphile_worker"."_private_tasks" TO "tankwatch_worker" USING (true);

--
-- Name: SCHEMA "graphile_worker"; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA "graphile_worker" TO "tankwatch_worker";

--
-- Name: SCHEMA "public"; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA "public" TO "tankwatch_api";
GRANT USAGE ON SCHEMA "public" TO "tankwatch_gateway";
GRANT USAGE ON SCHEMA "public" TO "tankwatch_writer";
GRANT USAGE ON SCHEMA "public" TO "tankwatch_operator";
GRANT USAGE ON SCHEMA "public" TO "tankwatch_worker";
GRANT USAGE ON SCHEMA "public" TO "tankwatch_manager";

--
-- Name: TABLE "_private_jobs"; Type: ACL; Schema: graphile_worker; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "graphile_worker"."_private_jobs" TO "tankwatch_worker";

--
-- Name: FUNCTION "add_counter_partition"("year" integer, "from_at" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."add_counter_partition"("year" integer, "from_at" timestamp with time zone) FROM PUBLIC;

--
-- Name: TABLE "driver_entries"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."driver_entries" TO "tankwatch_manager";

--
-- Name: FUNCTION "apply_stop_entry"("entry" "public"."driver_entries"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."apply_stop_entry"("entry" "public"."driver_entries") FROM PUBLIC;

--
-- Name: FUNCTION "attach_earlier_counters"("bound" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."attach_earlier_counters"("bound" timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION "audit_pins"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."audit_pins"() FROM PUBLIC;

--
-- Name: FUNCTION "audit_stop_outcome"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."audit_stop_outcome"() FROM PUBLIC;

--
-- Name: FUNCTION "begin_management"("of_prefix" "text", "of_secret_sha256" "bytea", "of_request_id" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."begin_management"("of_prefix" "text", "of_secret_sha256" "bytea", "of_request_id" "text") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."begin_management"("of_prefix" "text", "of_secret_sha256" "bytea", "of_request_id" "text") TO "tankwatch_manager";

--
-- Name: FUNCTION "begin_outage"("connector" integer, "since" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."begin_outage"("connector" integer, "since" timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."begin_outage"("connector" integer, "since" timestamp with time zone) TO "tankwatch_worker";
GRANT ALL ON FUNCTION "public"."begin_outage"("connector" integer, "since" timestamp with time zone) TO "tankwatch_manager";
GRANT ALL ON FUNCTION "public"."begin_outage"("connector" integer, "since" timestamp with time zone) TO "tankwatch_operator";

--
-- Name: FUNCTION "begin_owner_change"("of_prefix" "text", "of_secret_sha256" "bytea", "of_request_id" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."begin_owner_change"("of_prefix" "text", "of_secret_sha256" "bytea", "of_request_id" "text") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."begin_owner_change"("of_prefix" "text", "of_secret_sha256" "bytea", "of_request_id" "text") TO "tankwatch_manager";

--
-- Name: FUNCTION "begin_session"("of_prefix" "text", "of_secret_sha256" "bytea", "new_prefix" "text", "new_secret_sha256" "bytea"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."begin_session"("of_prefix" "text", "of_secret_sha256" "bytea", "new_prefix" "text", "new_secret_sha256" "bytea") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."begin_session"("of_prefix" "text", "of_secret_sha256" "bytea", "new_prefix" "text", "new_secret_sha256" "bytea") TO "tankwatch_api";

--
-- Name: FUNCTION "begin_sign_in_mail"("sign_in_no" bigint, "new_link_sha256" "bytea", "new_code_sha256" "bytea"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."begin_sign_in_mail"("sign_in_no" bigint, "new_link_sha256" "bytea", "new_code_sha256" "bytea") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."begin_sign_in_mail"("sign_in_no" bigint, "new_link_sha256" "bytea", "new_code_sha256" "bytea") TO "tankwatch_worker";

--
-- Name: FUNCTION "cancel_notes_before_entry"("entry" "public"."driver_entries"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."cancel_notes_before_entry"("entry" "public"."driver_entries") FROM PUBLIC;

--
-- Name: FUNCTION "choose_channels"("of_contact" integer, "new_by_push" boolean, "new_low_by" "text"[], "new_other_by" "text"[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."choose_channels"("of_contact" integer, "new_by_push" boolean, "new_low_by" "text"[], "new_other_by" "text"[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."choose_channels"("of_contact" integer, "new_by_push" boolean, "new_low_by" "text"[], "new_other_by" "text"[]) TO "tankwatch_api";

--
-- Name: FUNCTION "choose_sign_in"("of_browser_sha256" "bytea", "chosen_id" "uuid", "new_prefix" "text", "new_secret_sha256" "bytea"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."choose_sign_in"("of_browser_sha256" "bytea", "chosen_id" "uuid", "new_prefix" "text", "new_secret_sha256" "bytea") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."choose_sign_in"("of_browser_sha256" "bytea", "chosen_id" "uuid", "new_prefix" "text", "new_secret_sha256" "bytea") TO "tankwatch_api";

--
-- Name: FUNCTION "correct_levels"("in_tank_no" integer, "at_ms" double precision[], "new_levels" smallint[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."correct_levels"("in_tank_no" integer, "at_ms" double precision[], "new_levels" smallint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."correct_levels"("in_tank_no" integer, "at_ms" double precision[], "new_levels" smallint[]) TO "tankwatch_writer";

--
-- Name: FUNCTION "correct_packed_levels"("in_tank_no" integer, "in_starts_at" timestamp with time zone, "new_levels" smallint[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."correct_packed_levels"("in_tank_no" integer, "in_starts_at" timestamp with time zone, "new_levels" smallint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."correct_packed_levels"("in_tank_no" integer, "in_starts_at" timestamp with time zone, "new_levels" smallint[]) TO "tankwatch_writer";

--
-- Name: FUNCTION "create_session"("new_prefix" "text", "new_secret_sha256" "bytea", "of_key_no" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."create_session"("new_prefix" "text", "new_secret_sha256" "bytea", "of_key_no" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."create_session"("new_prefix" "text", "new_secret_sha256" "bytea", "of_key_no" integer) TO "tankwatch_api";

--
-- Name: FUNCTION "customer_of_link"("customer_id" "uuid"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."customer_of_link"("customer_id" "uuid") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."customer_of_link"("customer_id" "uuid") TO "tankwatch_api";

--
-- Name: FUNCTION "delete_ended_sessions"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."delete_ended_sessions"() FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."delete_ended_sessions"() TO "tankwatch_worker";

--
-- Name: FUNCTION "delete_events"("event_nos" bigint[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."delete_events"("event_nos" bigint[]) FROM PUBLIC;

--
-- Name: FUNCTION "delete_expired_rows"("table_name" "text", "before" timestamp with time zone, "after_no" bigint, "batch_rows" integer, OUT "deleted" integer, OUT "last_no" bigint); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."delete_expired_rows"("table_name" "text", "before" timestamp with time zone, "after_no" bigint, "batch_rows" integer, OUT "deleted" integer, OUT "last_no" bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."delete_expired_rows"("table_name" "text", "before" timestamp with time zone, "after_no" bigint, "batch_rows" integer, OUT "deleted" integer, OUT "last_no" bigint) TO "tankwatch_worker";

--
-- Name: FUNCTION "delete_old_idempotency_keys"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."delete_old_idempotency_keys"() FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."delete_old_idempotency_keys"() TO "tankwatch_worker";

--
-- Name: FUNCTION "delete_old_key_activity"("kept_days" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."delete_old_key_activity"("kept_days" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."delete_old_key_activity"("kept_days" integer) TO "tankwatch_worker";

--
-- Name: FUNCTION "deliveries_of_tanks"("tank_nos" integer[], "after_ms" double precision[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."deliveries_of_tanks"("tank_nos" integer[], "after_ms" double precision[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."deliveries_of_tanks"("tank_nos" integer[], "after_ms" double precision[]) TO "tankwatch_writer";
GRANT ALL ON FUNCTION "public"."deliveries_of_tanks"("tank_nos" integer[], "after_ms" double precision[]) TO "tankwatch_operator";

--
-- Name: FUNCTION "driver_round"("of_round" "uuid", "of_generation" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."driver_round"("of_round" "uuid", "of_generation" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."driver_round"("of_round" "uuid", "of_generation" integer) TO "tankwatch_api";

--
-- Name: FUNCTION "drop_empty_packed_years"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."drop_empty_packed_years"() FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."drop_empty_packed_years"() TO "tankwatch_worker";

--
-- Name: FUNCTION "drop_expired_telemetry"("tank_nos" integer[], "kept_from" timestamp with time zone[], "base_at" timestamp with time zone[], "base_states" "text"[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."drop_expired_telemetry"("tank_nos" integer[], "kept_from" timestamp with time zone[], "base_at" timestamp with time zone[], "base_states" "text"[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."drop_expired_telemetry"("tank_nos" integer[], "kept_from" timestamp with time zone[], "base_at" timestamp with time zone[], "base_states" "text"[]) TO "tankwatch_worker";

--
-- Name: FUNCTION "drop_packed_partitions"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."drop_packed_partitions"() FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."drop_packed_partitions"() TO "tankwatch_worker";

--
-- Name: FUNCTION "end_all_sessions"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."end_all_sessions"() FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."end_all_sessions"() TO "tankwatch_operator";

--
-- Name: FUNCTION "end_handling"("in_tank_nos" integer[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."end_handling"("in_tank_nos" integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."end_handling"("in_tank_nos" integer[]) TO "tankwatch_worker";
GRANT ALL ON FUNCTION "public"."end_handling"("in_tank_nos" integer[]) TO "tankwatch_manager";

--
-- Name: FUNCTION "end_outage"("connector" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."end_outage"("connector" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."end_outage"("connector" integer) TO "tankwatch_worker";
GRANT ALL ON FUNCTION "public"."end_outage"("connector" integer) TO "tankwatch_manager";
GRANT ALL ON FUNCTION "public"."end_outage"("connector" integer) TO "tankwatch_operator";

--
-- Name: FUNCTION "end_session"("of_prefix" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."end_session"("of_prefix" "text") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."end_session"("of_prefix" "text") TO "tankwatch_api";

--
-- Name: FUNCTION "enqueue_events"("event_nos" bigint[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."enqueue_events"("event_nos" bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."enqueue_events"("event_nos" bigint[]) TO "tankwatch_writer";
GRANT ALL ON FUNCTION "public"."enqueue_events"("event_nos" bigint[]) TO "tankwatch_operator";

--
-- Name: FUNCTION "enqueue_invitation"("customer_no" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."enqueue_invitation"("customer_no" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."enqueue_invitation"("customer_no" integer) TO "tankwatch_operator";

--
-- Name: FUNCTION "enqueue_quietly"("in_task" "text", "in_event_nos" bigint[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."enqueue_quietly"("in_task" "text", "in_event_nos" bigint[]) FROM PUBLIC;

--
-- Name: FUNCTION "enqueue_retractions"("event_nos" bigint[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."enqueue_retractions"("event_nos" bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."enqueue_retractions"("event_nos" bigint[]) TO "tankwatch_writer";
GRANT ALL ON FUNCTION "public"."enqueue_retractions"("event_nos" bigint[]) TO "tankwatch_operator";

--
-- Name: FUNCTION "enqueue_webhook_test"("in_endpoint_no" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."enqueue_webhook_test"("in_endpoint_no" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."enqueue_webhook_test"("in_endpoint_no" integer) TO "tankwatch_manager";

--
-- Name: FUNCTION "ensure_counter_years"("at" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."ensure_counter_years"("at" timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION "ensure_packed_year"("at" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."ensure_packed_year"("at" timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION "ensure_telemetry_month"("at" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."ensure_telemetry_month"("at" timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."ensure_telemetry_month"("at" timestamp with time zone) TO "tankwatch_writer";
GRANT ALL ON FUNCTION "public"."ensure_telemetry_month"("at" timestamp with time zone) TO "tankwatch_worker";
GRANT ALL ON FUNCTION "public"."ensure_telemetry_month"("at" timestamp with time zone) TO "tankwatch_operator";

--
-- Name: FUNCTION "erase_contact_reach"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."erase_contact_reach"() FROM PUBLIC;

--
-- Name: FUNCTION "erase_deleted_organization"("organization" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."erase_deleted_organization"("organization" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."erase_deleted_organization"("organization" integer) TO "tankwatch_worker";

--
-- Name: FUNCTION "erase_deleted_tank"("after_no" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."erase_deleted_tank"("after_no" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."erase_deleted_tank"("after_no" integer) TO "tankwatch_worker";

--
-- Name: FUNCTION "erase_webhook_secret"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."erase_webhook_secret"() FROM PUBLIC;

--
-- Name: FUNCTION "exceeded_quota"("in_organization_no" integer, "in_what" "text", "in_added" bigint, "in_default" bigint); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."exceeded_quota"("in_organization_no" integer, "in_what" "text", "in_added" bigint, "in_default" bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."exceeded_quota"("in_organization_no" integer, "in_what" "text", "in_added" bigint, "in_default" bigint) TO "tankwatch_manager";

--
-- Name: PROCEDURE "fill_search_texts"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON PROCEDURE "public"."fill_search_texts"() FROM PUBLIC;

--
-- Name: PROCEDURE "fill_search_words"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON PROCEDURE "public"."fill_search_words"() FROM PUBLIC;

--
-- Name: FUNCTION "find_key"("of_prefix" "text", "of_secret_sha256" "bytea"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."find_key"("of_prefix" "text", "of_secret_sha256" "bytea") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."find_key"("of_prefix" "text", "of_secret_sha256" "bytea") TO "tankwatch_api";

--
-- Name: FUNCTION "find_session"("of_prefix" "text", "of_secret_sha256" "bytea"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."find_session"("of_prefix" "text", "of_secret_sha256" "bytea") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."find_session"("of_prefix" "text", "of_secret_sha256" "bytea") TO "tankwatch_api";

--
-- Name: FUNCTION "find_similar_names"("in_organization_no" integer, "in_name" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."find_similar_names"("in_organization_no" integer, "in_name" "text") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."find_similar_names"("in_organization_no" integer, "in_name" "text") TO "tankwatch_api";

--
-- Name: FUNCTION "finish_gauge_recomputation"("in_tank_no" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."finish_gauge_recomputation"("in_tank_no" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."finish_gauge_recomputation"("in_tank_no" integer) TO "tankwatch_writer";

--
-- Name: FUNCTION "follow_changed_truck"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."follow_changed_truck"() FROM PUBLIC;

--
-- Name: FUNCTION "follow_changes_of_webhook"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."follow_changes_of_webhook"() FROM PUBLIC;

--
-- Name: FUNCTION "follow_readings"("in_organization_no" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."follow_readings"("in_organization_no" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."follow_readings"("in_organization_no" integer) TO "tankwatch_api";

--
-- Name: FUNCTION "follow_ups_of"("event_nos" bigint[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."follow_ups_of"("event_nos" bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."follow_ups_of"("event_nos" bigint[]) TO "tankwatch_api";

--
-- Name: FUNCTION "handled_tanks"("in_organization_no" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."handled_tanks"("in_organization_no" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."handled_tanks"("in_organization_no" integer) TO "tankwatch_api";

--
-- Name: FUNCTION "handling_of"("in_tank_no" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."handling_of"("in_tank_no" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."handling_of"("in_tank_no" integer) TO "tankwatch_api";
GRANT ALL ON FUNCTION "public"."handling_of"("in_tank_no" integer) TO "tankwatch_worker";
GRANT ALL ON FUNCTION "public"."handling_of"("in_tank_no" integer) TO "tankwatch_operator";

--
-- Name: FUNCTION "hasten_escalation"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."hasten_escalation"() FROM PUBLIC;

--
-- Name: FUNCTION "hold_notifications"("in_reason" "text", "in_holds_sign_in_mails" boolean, OUT "is_new" boolean, OUT "held_at" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."hold_notifications"("in_reason" "text", "in_holds_sign_in_mails" boolean, OUT "is_new" boolean, OUT "held_at" timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."hold_notifications"("in_reason" "text", "in_holds_sign_in_mails" boolean, OUT "is_new" boolean, OUT "held_at" timestamp with time zone) TO "tankwatch_operator";

--
-- Name: FUNCTION "invitation_of_sign_in"("sign_in_no" bigint); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."invitation_of_sign_in"("sign_in_no" bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."invitation_of_sign_in"("sign_in_no" bigint) TO "tankwatch_worker";

--
-- Name: FUNCTION "invite_contact"("of_organization_no" integer, "of_contact_no" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."invite_contact"("of_organization_no" integer, "of_contact_no" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."invite_contact"("of_organization_no" integer, "of_contact_no" integer) TO "tankwatch_manager";
GRANT ALL ON FUNCTION "public"."invite_contact"("of_organization_no" integer, "of_contact_no" integer) TO "tankwatch_operator";

--
-- Name: FUNCTION "is_month_in_use"("in_month" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."is_month_in_use"("in_month" timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION "is_note_of_round"("of_round" integer, "of_tank" integer, "of_series" "text", "of_number" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."is_note_of_round"("of_round" integer, "of_tank" integer, "of_series" "text", "of_number" "text") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."is_note_of_round"("of_round" integer, "of_tank" integer, "of_series" "text", "of_number" "text") TO "tankwatch_manager";

--
-- Name: FUNCTION "is_packed_year_in_use"("partition" "regclass", "in_year" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."is_packed_year_in_use"("partition" "regclass", "in_year" integer) FROM PUBLIC;

--
-- Name: FUNCTION "job_status"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."job_status"() FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."job_status"() TO "tankwatch_operator";

--
-- Name: FUNCTION "keep_former_stops"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."keep_former_stops"() FROM PUBLIC;

--
-- Name: FUNCTION "key_beginning"("of_organization_no" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."key_beginning"("of_organization_no" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."key_beginning"("of_organization_no" integer) TO "tankwatch_api";
GRANT ALL ON FUNCTION "public"."key_beginning"("of_organization_no" integer) TO "tankwatch_operator";

--
-- Name: FUNCTION "lock_expired_telemetry"("organization" integer, "before" timestamp with time zone, "after_no" integer, "max_tanks" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."lock_expired_telemetry"("organization" integer, "before" timestamp with time zone, "after_no" integer, "max_tanks" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."lock_expired_telemetry"("organization" integer, "before" timestamp with time zone, "after_no" integer, "max_tanks" integer) TO "tankwatch_worker";

--
-- Name: FUNCTION "lock_gauge_recomputation"("in_tank_no" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."lock_gauge_recomputation"("in_tank_no" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."lock_gauge_recomputation"("in_tank_no" integer) TO "tankwatch_writer";

--
-- Name: FUNCTION "lock_handled_tank"("in_tank_no" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."lock_handled_tank"("in_tank_no" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."lock_handled_tank"("in_tank_no" integer) TO "tankwatch_manager";

--
-- Name: FUNCTION "lock_organization"("in_organization_no" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."lock_organization"("in_organization_no" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."lock_organization"("in_organization_no" integer) TO "tankwatch_operator";
GRANT ALL ON FUNCTION "public"."lock_organization"("in_organization_no" integer) TO "tankwatch_manager";

--
-- Name: FUNCTION "lock_tanks_for_weather"("tank_nos" integer[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."lock_tanks_for_weather"("tank_nos" integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."lock_tanks_for_weather"("tank_nos" integer[]) TO "tankwatch_worker";

--
-- Name: FUNCTION "on_duty"("organization" integer, "at" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."on_duty"("organization" integer, "at" timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."on_duty"("organization" integer, "at" timestamp with time zone) TO "tankwatch_worker";
GRANT ALL ON FUNCTION "public"."on_duty"("organization" integer, "at" timestamp with time zone) TO "tankwatch_manager";
GRANT ALL ON FUNCTION "public"."on_duty"("organization" integer, "at" timestamp with time zone) TO "tankwatch_operator";

--
-- Name: FUNCTION "pack_tank_months"("tank_nos" integer[], "in_month" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."pack_tank_months"("tank_nos" integer[], "in_month" timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION "pack_telemetry"("after_month" timestamp with time zone, "after_tank_no" integer, "max_tanks" integer, OUT "month" timestamp with time zone, OUT "last_tank_no" integer, OUT "looked_at" integer, OUT "packed" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."pack_telemetry"("after_month" timestamp with time zone, "after_tank_no" integer, "max_tanks" integer, OUT "month" timestamp with time zone, OUT "last_tank_no" integer, OUT "looked_at" integer, OUT "packed" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."pack_telemetry"("after_month" timestamp with time zone, "after_tank_no" integer, "max_tanks" integer, OUT "month" timestamp with time zone, OUT "last_tank_no" integer, OUT "looked_at" integer, OUT "packed" integer) TO "tankwatch_worker";
GRANT ALL ON FUNCTION "public"."pack_telemetry"("after_month" timestamp with time zone, "after_tank_no" integer, "max_tanks" integer, OUT "month" timestamp with time zone, OUT "last_tank_no" integer, OUT "looked_at" integer, OUT "packed" integer) TO "tankwatch_operator";

--
-- Name: PROCEDURE "partition_month_counters"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON PROCEDURE "public"."partition_month_counters"() FROM PUBLIC;

--
-- Name: FUNCTION "plan_broker_cleanup"("connector" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."plan_broker_cleanup"("connector" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."plan_broker_cleanup"("connector" integer) TO "tankwatch_manager";
GRANT ALL ON FUNCTION "public"."plan_broker_cleanup"("connector" integer) TO "tankwatch_operator";

--
-- Name: FUNCTION "quiet_until"("contact" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."quiet_until"("contact" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."quiet_until"("contact" integer) TO "tankwatch_worker";

--
-- Name: FUNCTION "record_block_read"("of_round" "uuid", "of_generation" integer, "of_stop" integer, "of_since" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_block_read"("of_round" "uuid", "of_generation" integer, "of_stop" integer, "of_since" timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."record_block_read"("of_round" "uuid", "of_generation" integer, "of_stop" integer, "of_since" timestamp with time zone) TO "tankwatch_api";

--
-- Name: FUNCTION "record_command"("in_organization_no" integer, "in_object" "text", "in_action" "text", "in_fields" "text"[], "in_object_nos" integer[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_command"("in_organization_no" integer, "in_object" "text", "in_action" "text", "in_fields" "text"[], "in_object_nos" integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."record_command"("in_organization_no" integer, "in_object" "text", "in_action" "text", "in_fields" "text"[], "in_object_nos" integer[]) TO "tankwatch_operator";
GRANT ALL ON FUNCTION "public"."record_command"("in_organization_no" integer, "in_object" "text", "in_action" "text", "in_fields" "text"[], "in_object_nos" integer[]) TO "tankwatch_manager";

--
-- Name: FUNCTION "record_connector_event"("connector" integer, "in_type" "text", "since" timestamp with time zone, "because" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_connector_event"("connector" integer, "in_type" "text", "since" timestamp with time zone, "because" "text") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."record_connector_event"("connector" integer, "in_type" "text", "since" timestamp with time zone, "because" "text") TO "tankwatch_worker";

--
-- Name: FUNCTION "record_driver_entry"("of_round" "uuid", "of_generation" integer, "of_id" "uuid", "of_stop" integer, "of_tank" "uuid", "of_kind" "text", "of_volume" double precision, "of_unit" "text", "of_reason" "text", "of_comment" "text", "of_at" timestamp with time zone, "of_series" "text", "of_number" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_driver_entry"("of_round" "uuid", "of_generation" integer, "of_id" "uuid", "of_stop" integer, "of_tank" "uuid", "of_kind" "text", "of_volume" double precision, "of_unit" "text", "of_reason" "text", "of_comment" "text", "of_at" timestamp with time zone, "of_series" "text", "of_number" "text") FROM PUBLIC;

--
-- Name: FUNCTION "record_driver_word"("of_round" "uuid", "of_generation" integer, "of_id" "uuid", "of_stop" integer, "of_tank" "uuid", "of_kind" "text", "of_volume" double precision, "of_unit" "text", "of_reason" "text", "of_comment" "text", "of_at" timestamp with time zone, "of_series" "text", "of_number" "text", "of_filled_to" real); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_driver_word"("of_round" "uuid", "of_generation" integer, "of_id" "uuid", "of_stop" integer, "of_tank" "uuid", "of_kind" "text", "of_volume" double precision, "of_unit" "text", "of_reason" "text", "of_comment" "text", "of_at" timestamp with time zone, "of_series" "text", "of_number" "text", "of_filled_to" real) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."record_driver_word"("of_round" "uuid", "of_generation" integer, "of_id" "uuid", "of_stop" integer, "of_tank" "uuid", "of_kind" "text", "of_volume" double precision, "of_unit" "text", "of_reason" "text", "of_comment" "text", "of_at" timestamp with time zone, "of_series" "text", "of_number" "text", "of_filled_to" real) TO "tankwatch_api";

--
-- Name: FUNCTION "record_entry_for_driver"("of_round" integer, "of_stop" integer, "of_id" "uuid", "of_kind" "text", "of_volume" double precision, "of_unit" "text", "of_reason" "text", "of_comment" "text", "of_at" timestamp with time zone, "of_series" "text", "of_number" "text", "of_filled_to" real, "of_correction" boolean); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_entry_for_driver"("of_round" integer, "of_stop" integer, "of_id" "uuid", "of_kind" "text", "of_volume" double precision, "of_unit" "text", "of_reason" "text", "of_comment" "text", "of_at" timestamp with time zone, "of_series" "text", "of_number" "text", "of_filled_to" real, "of_correction" boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."record_entry_for_driver"("of_round" integer, "of_stop" integer, "of_id" "uuid", "of_kind" "text", "of_volume" double precision, "of_unit" "text", "of_reason" "text", "of_comment" "text", "of_at" timestamp with time zone, "of_series" "text", "of_number" "text", "of_filled_to" real, "of_correction" boolean) TO "tankwatch_manager";

--
-- Name: FUNCTION "record_feed_removals"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_feed_removals"() FROM PUBLIC;

--
-- Name: FUNCTION "record_key_activity"("key_nos" integer[], "addresses" "text"[], "request_counts" integer[], "first_ats" timestamp with time zone[], "last_ats" timestamp with time zone[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_key_activity"("key_nos" integer[], "addresses" "text"[], "request_counts" integer[], "first_ats" timestamp with time zone[], "last_ats" timestamp with time zone[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."record_key_activity"("key_nos" integer[], "addresses" "text"[], "request_counts" integer[], "first_ats" timestamp with time zone[], "last_ats" timestamp with time zone[]) TO "tankwatch_api";
GRANT ALL ON FUNCTION "public"."record_key_activity"("key_nos" integer[], "addresses" "text"[], "request_counts" integer[], "first_ats" timestamp with time zone[], "last_ats" timestamp with time zone[]) TO "tankwatch_gateway";

--
-- Name: FUNCTION "record_key_use"("key_nos" integer[], "used_ats" timestamp with time zone[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_key_use"("key_nos" integer[], "used_ats" timestamp with time zone[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."record_key_use"("key_nos" integer[], "used_ats" timestamp with time zone[]) TO "tankwatch_api";

--
-- Name: FUNCTION "record_session_use"("used_prefixes" "text"[], "used_ats" timestamp with time zone[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_session_use"("used_prefixes" "text"[], "used_ats" timestamp with time zone[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."record_session_use"("used_prefixes" "text"[], "used_ats" timestamp with time zone[]) TO "tankwatch_api";

--
-- Name: FUNCTION "record_text_report"("channel" "uuid", "reference" "uuid", "id_of_provider" "text", "is_delivered" boolean, "reason" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_text_report"("channel" "uuid", "reference" "uuid", "id_of_provider" "text", "is_delivered" boolean, "reason" "text") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."record_text_report"("channel" "uuid", "reference" "uuid", "id_of_provider" "text", "is_delivered" boolean, "reason" "text") TO "tankwatch_api";

--
-- Name: FUNCTION "record_webhook_test"("of_endpoint" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_webhook_test"("of_endpoint" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."record_webhook_test"("of_endpoint" integer) TO "tankwatch_manager";
GRANT ALL ON FUNCTION "public"."record_webhook_test"("of_endpoint" integer) TO "tankwatch_operator";

--
-- Name: FUNCTION "record_work_event"("in_tank_no" integer, "in_type" "text", "in_data" "jsonb"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_work_event"("in_tank_no" integer, "in_type" "text", "in_data" "jsonb") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."record_work_event"("in_tank_no" integer, "in_type" "text", "in_data" "jsonb") TO "tankwatch_manager";

--
-- Name: FUNCTION "redeem_sign_in"("sign_in_no" bigint, "new_browser_sha256" "bytea"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."redeem_sign_in"("sign_in_no" bigint, "new_browser_sha256" "bytea") FROM PUBLIC;

--
-- Name: FUNCTION "redeem_sign_in_code"("of_browser_sha256" "bytea", "of_code_sha256" "bytea", "new_browser_sha256" "bytea", OUT "outcome" "text", OUT "codes_left" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."redeem_sign_in_code"("of_browser_sha256" "bytea", "of_code_sha256" "bytea", "new_browser_sha256" "bytea", OUT "outcome" "text", OUT "codes_left" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."redeem_sign_in_code"("of_browser_sha256" "bytea", "of_code_sha256" "bytea", "new_browser_sha256" "bytea", OUT "outcome" "text", OUT "codes_left" integer) TO "tankwatch_api";

--
-- Name: FUNCTION "redeem_sign_in_link"("of_link_sha256" "bytea", "new_browser_sha256" "bytea"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."redeem_sign_in_link"("of_link_sha256" "bytea", "new_browser_sha256" "bytea") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."redeem_sign_in_link"("of_link_sha256" "bytea", "new_browser_sha256" "bytea") TO "tankwatch_api";

--
-- Name: FUNCTION "release_notifications"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."release_notifications"() FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."release_notifications"() TO "tankwatch_operator";

--
-- Name: FUNCTION "remove_push_subscription"("of_contact" integer, "of_id" "uuid"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."remove_push_subscription"("of_contact" integer, "of_id" "uuid") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."remove_push_subscription"("of_contact" integer, "of_id" "uuid") TO "tankwatch_api";

--
-- Name: FUNCTION "report_driver_entry"("entry" "public"."driver_entries", "happened" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."report_driver_entry"("entry" "public"."driver_entries", "happened" timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION "request_sign_in"("of_address" "text", "of_browser_sha256" "bytea", "in_return_to" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."request_sign_in"("of_address" "text", "of_browser_sha256" "bytea", "in_return_to" "text") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."request_sign_in"("of_address" "text", "of_browser_sha256" "bytea", "in_return_to" "text") TO "tankwatch_api";

--
-- Name: FUNCTION "resubscribe_customer"("customer_id" "uuid"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."resubscribe_customer"("customer_id" "uuid") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."resubscribe_customer"("customer_id" "uuid") TO "tankwatch_api";
GRANT ALL ON FUNCTION "public"."resubscribe_customer"("customer_id" "uuid") TO "tankwatch_operator";

--
-- Name: FUNCTION "rotate_webhook_secret"("in_endpoint_no" integer, "in_sealed_secret" "text", "in_overlap_hours" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."rotate_webhook_secret"("in_endpoint_no" integer, "in_sealed_secret" "text", "in_overlap_hours" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."rotate_webhook_secret"("in_endpoint_no" integer, "in_sealed_secret" "text", "in_overlap_hours" integer) TO "tankwatch_operator";
GRANT ALL ON FUNCTION "public"."rotate_webhook_secret"("in_endpoint_no" integer, "in_sealed_secret" "text", "in_overlap_hours" integer) TO "tankwatch_manager";

--
-- Name: FUNCTION "sequence_use"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."sequence_use"() FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."sequence_use"() TO "tankwatch_worker";
GRANT ALL ON FUNCTION "public"."sequence_use"() TO "tankwatch_operator";

--
-- Name: FUNCTION "set_route_tag"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."set_route_tag"() FROM PUBLIC;

--
-- Name: FUNCTION "sign_in_choices"("of_browser_sha256" "bytea"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."sign_in_choices"("of_browser_sha256" "bytea") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."sign_in_choices"("of_browser_sha256" "bytea") TO "tankwatch_api";

--
-- Name: FUNCTION "sign_in_of_link"("of_link_sha256" "bytea"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."sign_in_of_link"("of_link_sha256" "bytea") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."sign_in_of_link"("of_link_sha256" "bytea") TO "tankwatch_api";

--
-- Name: FUNCTION "sign_in_with_issuer"("of_issuer" "uuid", "of_subject" "text", "of_email" "text", "is_email_verified" boolean, "of_name" "text", "given_roles" "text"[], "is_link" boolean, "current_prefix" "text", "current_sha256" "bytea", "new_contact_id" "uuid", "new_prefix" "text", "new_secret_sha256" "bytea", "session_minutes" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."sign_in_with_issuer"("of_issuer" "uuid", "of_subject" "text", "of_email" "text", "is_email_verified" boolean, "of_name" "text", "given_roles" "text"[], "is_link" boolean, "current_prefix" "text", "current_sha256" "bytea", "new_contact_id" "uuid", "new_prefix" "text", "new_secret_sha256" "bytea", "session_minutes" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."sign_in_with_issuer"("of_issuer" "uuid", "of_subject" "text", "of_email" "text", "is_email_verified" boolean, "of_name" "text", "given_roles" "text"[], "is_link" boolean, "current_prefix" "text", "current_sha256" "bytea", "new_contact_id" "uuid", "new_prefix" "text", "new_secret_sha256" "bytea", "session_minutes" integer) TO "tankwatch_api";

--
-- Name: FUNCTION "store_dip_of_entry"("entry" "public"."driver_entries", "happened" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."store_dip_of_entry"("entry" "public"."driver_entries", "happened" timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION "store_note_of_entry"("entry" "public"."driver_entries", "happened" timestamp with time zone, "is_newest" boolean); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."store_note_of_entry"("entry" "public"."driver_entries", "happened" timestamp with time zone, "is_newest" boolean) FROM PUBLIC;

--
-- Name: FUNCTION "store_push_subscription"("of_prefix" "text", "new_endpoint" "text", "new_p256dh" "bytea", "new_auth" "bytea", "new_name" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."store_push_subscription"("of_prefix" "text", "new_endpoint" "text", "new_p256dh" "bytea", "new_auth" "bytea", "new_name" "text") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."store_push_subscription"("of_prefix" "text", "new_endpoint" "text", "new_p256dh" "bytea", "new_auth" "bytea", "new_name" "text") TO "tankwatch_api";

--
-- Name: FUNCTION "store_temperatures"("organization" integer, "temperatures" "jsonb"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."store_temperatures"("organization" integer, "temperatures" "jsonb") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."store_temperatures"("organization" integer, "temperatures" "jsonb") TO "tankwatch_gateway";
GRANT ALL ON FUNCTION "public"."store_temperatures"("organization" integer, "temperatures" "jsonb") TO "tankwatch_operator";
GRANT ALL ON FUNCTION "public"."store_temperatures"("organization" integer, "temperatures" "jsonb") TO "tankwatch_worker";

--
-- Name: TABLE "customers"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."customers" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."customers" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."customers" TO "tankwatch_operator";
GRANT SELECT,INSERT ON TABLE "public"."customers" TO "tankwatch_manager";

--
-- Name: COLUMN "customers"."external_key"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("external_key") ON TABLE "public"."customers" TO "tankwatch_manager";

--
-- Name: COLUMN "customers"."email"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("email") ON TABLE "public"."customers" TO "tankwatch_manager";

--
-- Name: COLUMN "customers"."name"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("name") ON TABLE "public"."customers" TO "tankwatch_manager";

--
-- Name: COLUMN "customers"."phone"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("phone") ON TABLE "public"."customers" TO "tankwatch_manager";

--
-- Name: COLUMN "customers"."is_verified"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("is_verified") ON TABLE "public"."customers" TO "tankwatch_manager";

--
-- Name: COLUMN "customers"."verified_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("verified_at") ON TABLE "public"."customers" TO "tankwatch_manager";

--
-- Name: COLUMN "customers"."last_seen_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("last_seen_at") ON TABLE "public"."customers" TO "tankwatch_manager";

--
-- Name: COLUMN "customers"."created_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("created_at") ON TABLE "public"."customers" TO "tankwatch_manager";

--
-- Name: COLUMN "customers"."deleted_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("deleted_at") ON TABLE "public"."customers" TO "tankwatch_manager";

--
-- Name: COLUMN "customers"."phone_whose"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("phone_whose") ON TABLE "public"."customers" TO "tankwatch_manager";

--
-- Name: COLUMN "customers"."is_phone_texted"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("is_phone_texted") ON TABLE "public"."customers" TO "tankwatch_manager";

--
-- Name: COLUMN "customers"."other_phones"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("other_phones") ON TABLE "public"."customers" TO "tankwatch_manager";

--
-- Name: TABLE "tanks"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."tanks" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."tanks" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."tanks" TO "tankwatch_operator";
GRANT SELECT,INSERT ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."owner_no"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("owner_no") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."assigned_device_id"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("assigned_device_id") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."capacity"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("capacity") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."capacity_unit"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("capacity_unit") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."custom_id"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("custom_id") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."min_fill_alert_percentage"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("min_fill_alert_percentage") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."name"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("name") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."use_case"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("use_case") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."city"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("city") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."country"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("country") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."district"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("district") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."latitude"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("latitude") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."longitude"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("longitude") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."postal_code"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("postal_code") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."region"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("region") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."street"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("street") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."street_number"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("street_number") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."created_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("created_at") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."deleted_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("deleted_at") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."is_batch_tank"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("is_batch_tank") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."report_interval_hours"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("report_interval_hours") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."is_mobile"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("is_mobile") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."product"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("product") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."fill_limit_percentage"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("fill_limit_percentage") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."order_threshold_percentage"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("order_threshold_percentage") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "tanks"."external_key"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("external_key") ON TABLE "public"."tanks" TO "tankwatch_manager";

--
-- Name: FUNCTION "test_push"("of_contact" integer, "of_id" "uuid"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."test_push"("of_contact" integer, "of_id" "uuid") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."test_push"("of_contact" integer, "of_id" "uuid") TO "tankwatch_api";

--
-- Name: FUNCTION "text_channel_of_report"("channel" "uuid"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."text_channel_of_report"("channel" "uuid") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."text_channel_of_report"("channel" "uuid") TO "tankwatch_api";

--
-- Name: FUNCTION "time_of_driver_entry"("entry" "public"."driver_entries"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."time_of_driver_entry"("entry" "public"."driver_entries") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."time_of_driver_entry"("entry" "public"."driver_entries") TO "tankwatch_manager";

--
-- Name: FUNCTION "unpack_tank_months"("tank_nos" integer[], "months" timestamp with time zone[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."unpack_tank_months"("tank_nos" integer[], "months" timestamp with time zone[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."unpack_tank_months"("tank_nos" integer[], "months" timestamp with time zone[]) TO "tankwatch_writer";
GRANT ALL ON FUNCTION "public"."unpack_tank_months"("tank_nos" integer[], "months" timestamp with time zone[]) TO "tankwatch_operator";

--
-- Name: FUNCTION "unpack_telemetry"("in_month" timestamp with time zone, "after_tank_no" integer, "max_tanks" integer, OUT "last_tank_no" integer, OUT "unpacked" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."unpack_telemetry"("in_month" timestamp with time zone, "after_tank_no" integer, "max_tanks" integer, OUT "last_tank_no" integer, OUT "unpacked" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."unpack_telemetry"("in_month" timestamp with time zone, "after_tank_no" integer, "max_tanks" integer, OUT "last_tank_no" integer, OUT "unpacked" integer) TO "tankwatch_operator";

--
-- Name: FUNCTION "unsubscribe_customer_of_link"("customer_id" "uuid"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."unsubscribe_customer_of_link"("customer_id" "uuid") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."unsubscribe_customer_of_link"("customer_id" "uuid") TO "tankwatch_api";
GRANT ALL ON FUNCTION "public"."unsubscribe_customer_of_link"("customer_id" "uuid") TO "tankwatch_operator";

--
-- Name: FUNCTION "unused_route_tag"("slot" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."unused_route_tag"("slot" "text") FROM PUBLIC;

--
-- Name: FUNCTION "verify_customer_of_link"("customer_id" "uuid", "address" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."verify_customer_of_link"("customer_id" "uuid", "address" "text") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."verify_customer_of_link"("customer_id" "uuid", "address" "text") TO "tankwatch_api";

--
-- Name: FUNCTION "waiting_notifications"(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."waiting_notifications"() FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."waiting_notifications"() TO "tankwatch_operator";

--
-- Name: FUNCTION "wrapped_link_secret_of"("customer_id" "uuid"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."wrapped_link_secret_of"("customer_id" "uuid") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."wrapped_link_secret_of"("customer_id" "uuid") TO "tankwatch_api";

--
-- Name: TABLE "_private_job_queues"; Type: ACL; Schema: graphile_worker; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "graphile_worker"."_private_job_queues" TO "tankwatch_worker";

--
-- Name: TABLE "_private_known_crontabs"; Type: ACL; Schema: graphile_worker; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "graphile_worker"."_private_known_crontabs" TO "tankwatch_worker";

--
-- Name: TABLE "_private_tasks"; Type: ACL; Schema: graphile_worker; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "graphile_worker"."_private_tasks" TO "tankwatch_worker";

--
-- Name: TABLE "jobs"; Type: ACL; Schema: graphile_worker; Owner: -
--

GRANT SELECT ON TABLE "graphile_worker"."jobs" TO "tankwatch_worker";

--
-- Name: TABLE "migrations"; Type: ACL; Schema: graphile_worker; Owner: -
--

GRANT SELECT ON TABLE "graphile_worker"."migrations" TO "tankwatch_worker";

--
-- Name: TABLE "acknowledgements"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."acknowledgements" TO "tankwatch_worker";
GRANT SELECT,INSERT ON TABLE "public"."acknowledgements" TO "tankwatch_manager";

--
-- Name: COLUMN "acknowledgements"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."acknowledgements" TO "tankwatch_operator";
GRANT SELECT("no") ON TABLE "public"."acknowledgements" TO "tankwatch_api";

--
-- Name: COLUMN "acknowledgements"."id"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("id") ON TABLE "public"."acknowledgements" TO "tankwatch_operator";

--
-- Name: COLUMN "acknowledgements"."tank_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("tank_no") ON TABLE "public"."acknowledgements" TO "tankwatch_api";

--
-- Name: COLUMN "acknowledgements"."condition"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("condition") ON TABLE "public"."acknowledgements" TO "tankwatch_api";

--
-- Name: COLUMN "acknowledgements"."until"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("until") ON TABLE "public"."acknowledgements" TO "tankwatch_api";

--
-- Name: COLUMN "acknowledgements"."comment"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("comment") ON TABLE "public"."acknowledgements" TO "tankwatch_api";

--
-- Name: COLUMN "acknowledgements"."acknowledged_by"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("acknowledged_by") ON TABLE "public"."acknowledgements" TO "tankwatch_api";

--
-- Name: COLUMN "acknowledgements"."created_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("created_at") ON TABLE "public"."acknowledgements" TO "tankwatch_api";

--
-- Name: COLUMN "acknowledgements"."ended_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("ended_at") ON TABLE "public"."acknowledgements" TO "tankwatch_manager";
GRANT SELECT("ended_at") ON TABLE "public"."acknowledgements" TO "tankwatch_api";

--
-- Name: COLUMN "acknowledgements"."ended_because"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("ended_because") ON TABLE "public"."acknowledgements" TO "tankwatch_manager";
GRANT SELECT("ended_because") ON TABLE "public"."acknowledgements" TO "tankwatch_api";

--
-- Name: TABLE "device_health"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."device_health" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."device_health" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."device_health" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."device_health" TO "tankwatch_worker";

--
-- Name: TABLE "events"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."events" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."events" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."events" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."events" TO "tankwatch_api";

--
-- Name: COLUMN "events"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."events" TO "tankwatch_manager";

--
-- Name: COLUMN "events"."id"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("id") ON TABLE "public"."events" TO "tankwatch_manager";

--
-- Name: COLUMN "events"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."events" TO "tankwatch_manager";

--
-- Name: COLUMN "events"."tank_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("tank_no") ON TABLE "public"."events" TO "tankwatch_manager";

--
-- Name: COLUMN "events"."type"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("type") ON TABLE "public"."events" TO "tankwatch_manager";

--
-- Name: COLUMN "events"."occurred_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("occurred_at") ON TABLE "public"."events" TO "tankwatch_manager";

--
-- Name: COLUMN "events"."readings"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("readings") ON TABLE "public"."events" TO "tankwatch_manager";

--
-- Name: COLUMN "events"."retracted_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("retracted_at") ON TABLE "public"."events" TO "tankwatch_manager";

--
-- Name: TABLE "fleet_levels"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."fleet_levels" TO "tankwatch_api";
GRANT SELECT,UPDATE ON TABLE "public"."fleet_levels" TO "tankwatch_writer";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."fleet_levels" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."fleet_levels" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."fleet_levels" TO "tankwatch_manager";

--
-- Name: TABLE "fleet_tanks"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."fleet_tanks" TO "tankwatch_api";
GRANT SELECT,UPDATE ON TABLE "public"."fleet_tanks" TO "tankwatch_writer";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."fleet_tanks" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."fleet_tanks" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."fleet_tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "fleet_tanks"."threshold_on"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("threshold_on") ON TABLE "public"."fleet_tanks" TO "tankwatch_worker";

--
-- Name: COLUMN "fleet_tanks"."empty_on"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("empty_on") ON TABLE "public"."fleet_tanks" TO "tankwatch_worker";

--
-- Name: TABLE "tank_conditions"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."tank_conditions" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."tank_conditions" TO "tankwatch_manager";

--
-- Name: TABLE "tank_states"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."tank_states" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."tank_states" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."tank_states" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."tank_states" TO "tankwatch_api";

--
-- Name: COLUMN "tank_states"."tank_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("tank_no") ON TABLE "public"."tank_states" TO "tankwatch_manager";

--
-- Name: COLUMN "tank_states"."latest_fill_percentage"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("latest_fill_percentage") ON TABLE "public"."tank_states" TO "tankwatch_manager";

--
-- Name: COLUMN "tank_states"."latest_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("latest_at") ON TABLE "public"."tank_states" TO "tankwatch_manager";

--
-- Name: COLUMN "tank_states"."encoded_state"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("encoded_state") ON TABLE "public"."tank_states" TO "tankwatch_manager";

--
-- Name: TABLE "acknowledgement_ends"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."acknowledgement_ends" TO "tankwatch_manager";

--
-- Name: TABLE "alert_scores"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."alert_scores" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."alert_scores" TO "tankwatch_api";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."alert_scores" TO "tankwatch_worker";

--
-- Name: TABLE "api_keys"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."api_keys" TO "tankwatch_operator";

--
-- Name: COLUMN "api_keys"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."api_keys" TO "tankwatch_api";
GRANT SELECT("no") ON TABLE "public"."api_keys" TO "tankwatch_gateway";

--
-- Name: COLUMN "api_keys"."prefix"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("prefix") ON TABLE "public"."api_keys" TO "tankwatch_api";
GRANT SELECT("prefix") ON TABLE "public"."api_keys" TO "tankwatch_gateway";

--
-- Name: COLUMN "api_keys"."secret_sha256"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("secret_sha256") ON TABLE "public"."api_keys" TO "tankwatch_api";
GRANT SELECT("secret_sha256") ON TABLE "public"."api_keys" TO "tankwatch_gateway";

--
-- Name: COLUMN "api_keys"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."api_keys" TO "tankwatch_api";
GRANT SELECT("organization_no") ON TABLE "public"."api_keys" TO "tankwatch_gateway";

--
-- Name: COLUMN "api_keys"."customer_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("customer_no") ON TABLE "public"."api_keys" TO "tankwatch_api";
GRANT SELECT("customer_no") ON TABLE "public"."api_keys" TO "tankwatch_gateway";

--
-- Name: COLUMN "api_keys"."scopes"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("scopes") ON TABLE "public"."api_keys" TO "tankwatch_api";
GRANT SELECT("scopes") ON TABLE "public"."api_keys" TO "tankwatch_gateway";

--
-- Name: COLUMN "api_keys"."requests_per_second"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("requests_per_second") ON TABLE "public"."api_keys" TO "tankwatch_api";
GRANT SELECT("requests_per_second") ON TABLE "public"."api_keys" TO "tankwatch_gateway";

--
-- Name: COLUMN "api_keys"."burst"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("burst") ON TABLE "public"."api_keys" TO "tankwatch_api";
GRANT SELECT("burst") ON TABLE "public"."api_keys" TO "tankwatch_gateway";

--
-- Name: COLUMN "api_keys"."expires_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("expires_at") ON TABLE "public"."api_keys" TO "tankwatch_api";
GRANT SELECT("expires_at") ON TABLE "public"."api_keys" TO "tankwatch_gateway";

--
-- Name: COLUMN "api_keys"."revoked_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("revoked_at") ON TABLE "public"."api_keys" TO "tankwatch_api";
GRANT SELECT("revoked_at") ON TABLE "public"."api_keys" TO "tankwatch_gateway";

--
-- Name: COLUMN "api_keys"."changed_xid"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("changed_xid") ON TABLE "public"."api_keys" TO "tankwatch_api";
GRANT SELECT("changed_xid") ON TABLE "public"."api_keys" TO "tankwatch_gateway";

--
-- Name: TABLE "audit_log"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."audit_log" TO "tankwatch_operator";

--
-- Name: COLUMN "audit_log"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."audit_log" TO "tankwatch_manager";

--
-- Name: COLUMN "audit_log"."at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("at") ON TABLE "public"."audit_log" TO "tankwatch_manager";

--
-- Name: COLUMN "audit_log"."actor"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("actor") ON TABLE "public"."audit_log" TO "tankwatch_manager";

--
-- Name: COLUMN "audit_log"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."audit_log" TO "tankwatch_manager";

--
-- Name: COLUMN "audit_log"."object"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("object") ON TABLE "public"."audit_log" TO "tankwatch_manager";

--
-- Name: COLUMN "audit_log"."action"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("action") ON TABLE "public"."audit_log" TO "tankwatch_manager";

--
-- Name: COLUMN "audit_log"."fields"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("fields") ON TABLE "public"."audit_log" TO "tankwatch_manager";

--
-- Name: COLUMN "audit_log"."object_nos"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("object_nos") ON TABLE "public"."audit_log" TO "tankwatch_manager";

--
-- Name: COLUMN "audit_log"."request_id"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("request_id") ON TABLE "public"."audit_log" TO "tankwatch_manager";

--
-- Name: TABLE "broker_cleanups"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE "public"."broker_cleanups" TO "tankwatch_worker";

--
-- Name: COLUMN "broker_cleanups"."next_attempt_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("next_attempt_at") ON TABLE "public"."broker_cleanups" TO "tankwatch_worker";

--
-- Name: TABLE "catalog_buckets"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."catalog_buckets" TO "tankwatch_api";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."catalog_buckets" TO "tankwatch_operator";

--
-- Name: TABLE "catalog_month_counters"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."catalog_month_counters" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."catalog_month_counters" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."catalog_month_counters" TO "tankwatch_operator";

--
-- Name: TABLE "change_epochs"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE "public"."change_epochs" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."change_epochs" TO "tankwatch_api";
GRANT SELECT,UPDATE ON TABLE "public"."change_epochs" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."change_epochs" TO "tankwatch_worker";

--
-- Name: TABLE "connector_devices"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE "public"."connector_devices" TO "tankwatch_manager";
GRANT SELECT,DELETE ON TABLE "public"."connector_devices" TO "tankwatch_operator";
GRANT SELECT,INSERT ON TABLE "public"."connector_devices" TO "tankwatch_worker";

--
-- Name: TABLE "connector_states"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE "public"."connector_states" TO "tankwatch_manager";
GRANT SELECT,INSERT,DELETE ON TABLE "public"."connector_states" TO "tankwatch_operator";
GRANT SELECT,UPDATE ON TABLE "public"."connector_states" TO "tankwatch_worker";

--
-- Name: COLUMN "connector_states"."next_attempt_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("next_attempt_at") ON TABLE "public"."connector_states" TO "tankwatch_manager";
GRANT UPDATE("next_attempt_at") ON TABLE "public"."connector_states" TO "tankwatch_operator";

--
-- Name: COLUMN "connector_states"."backfill_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("backfill_at") ON TABLE "public"."connector_states" TO "tankwatch_manager";
GRANT UPDATE("backfill_at") ON TABLE "public"."connector_states" TO "tankwatch_operator";

--
-- Name: COLUMN "connector_states"."backfill_to"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("backfill_to") ON TABLE "public"."connector_states" TO "tankwatch_manager";
GRANT UPDATE("backfill_to") ON TABLE "public"."connector_states" TO "tankwatch_operator";

--
-- Name: COLUMN "connector_states"."failures"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("failures") ON TABLE "public"."connector_states" TO "tankwatch_manager";
GRANT UPDATE("failures") ON TABLE "public"."connector_states" TO "tankwatch_operator";

--
-- Name: COLUMN "connector_states"."slowness"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("slowness") ON TABLE "public"."connector_states" TO "tankwatch_manager";
GRANT UPDATE("slowness") ON TABLE "public"."connector_states" TO "tankwatch_operator";

--
-- Name: COLUMN "connector_states"."refused_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("refused_at") ON TABLE "public"."connector_states" TO "tankwatch_manager";
GRANT UPDATE("refused_at") ON TABLE "public"."connector_states" TO "tankwatch_operator";

--
-- Name: COLUMN "connector_states"."try_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("try_at") ON TABLE "public"."connector_states" TO "tankwatch_manager";
GRANT UPDATE("try_at") ON TABLE "public"."connector_states" TO "tankwatch_operator";

--
-- Name: TABLE "connectors"; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT ON TABLE "public"."connectors" TO "tankwatch_manager";
GRANT SELECT,INSERT ON TABLE "public"."connectors" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."connectors" TO "tankwatch_worker";

--
-- Name: COLUMN "connectors"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."connectors" TO "tankwatch_manager";

--
-- Name: COLUMN "connectors"."id"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("id") ON TABLE "public"."connectors" TO "tankwatch_manager";

--
-- Name: COLUMN "connectors"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."connectors" TO "tankwatch_manager";

--
-- Name: COLUMN "connectors"."kind"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("kind") ON TABLE "public"."connectors" TO "tankwatch_manager";

--
-- Name: COLUMN "connectors"."name"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("name"),UPDATE("name") ON TABLE "public"."connectors" TO "tankwatch_manager";
GRANT UPDATE("name") ON TABLE "public"."connectors" TO "tankwatch_operator";

--
-- Name: COLUMN "connectors"."settings"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("settings"),UPDATE("settings") ON TABLE "public"."connectors" TO "tankwatch_manager";
GRANT UPDATE("settings") ON TABLE "public"."connectors" TO "tankwatch_operator";

--
-- Name: COLUMN "connectors"."sealed_secret"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("sealed_secret") ON TABLE "public"."connectors" TO "tankwatch_manager";
GRANT UPDATE("sealed_secret") ON TABLE "public"."connectors" TO "tankwatch_operator";

--
-- Name: COLUMN "connectors"."paused_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("paused_at"),UPDATE("paused_at") ON TABLE "public"."connectors" TO "tankwatch_manager";
GRANT UPDATE("paused_at") ON TABLE "public"."connectors" TO "tankwatch_operator";

--
-- Name: COLUMN "connectors"."created_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("created_at") ON TABLE "public"."connectors" TO "tankwatch_manager";

--
-- Name: COLUMN "connectors"."updated_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("updated_at"),UPDATE("updated_at") ON TABLE "public"."connectors" TO "tankwatch_manager";
GRANT UPDATE("updated_at") ON TABLE "public"."connectors" TO "tankwatch_operator";

--
-- Name: COLUMN "connectors"."deleted_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("deleted_at"),UPDATE("deleted_at") ON TABLE "public"."connectors" TO "tankwatch_manager";
GRANT UPDATE("deleted_at") ON TABLE "public"."connectors" TO "tankwatch_operator";

--
-- Name: COLUMN "connectors"."has_secret"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("has_secret") ON TABLE "public"."connectors" TO "tankwatch_manager";

--
-- Name: TABLE "contact_reach"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE "public"."contact_reach" TO "tankwatch_manager";
GRANT SELECT,INSERT ON TABLE "public"."contact_reach" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."contact_reach" TO "tankwatch_worker";

--
-- Name: COLUMN "contact_reach"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."contact_reach" TO "tankwatch_api";

--
-- Name: COLUMN "contact_reach"."phone"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("phone") ON TABLE "public"."contact_reach" TO "tankwatch_manager";
GRANT UPDATE("phone") ON TABLE "public"."contact_reach" TO "tankwatch_operator";

--
-- Name: COLUMN "contact_reach"."verified_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("verified_at") ON TABLE "public"."contact_reach" TO "tankwatch_manager";
GRANT UPDATE("verified_at") ON TABLE "public"."contact_reach" TO "tankwatch_operator";

--
-- Name: COLUMN "contact_reach"."code_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("code_at") ON TABLE "public"."contact_reach" TO "tankwatch_manager";
GRANT UPDATE("code_at") ON TABLE "public"."contact_reach" TO "tankwatch_operator";

--
-- Name: COLUMN "contact_reach"."code_tries"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("code_tries") ON TABLE "public"."contact_reach" TO "tankwatch_manager";
GRANT UPDATE("code_tries") ON TABLE "public"."contact_reach" TO "tankwatch_operator";

--
-- Name: COLUMN "contact_reach"."by_text"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("by_text") ON TABLE "public"."contact_reach" TO "tankwatch_manager";
GRANT UPDATE("by_text") ON TABLE "public"."contact_reach" TO "tankwatch_operator";

--
-- Name: COLUMN "contact_reach"."by_mail"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("by_mail") ON TABLE "public"."contact_reach" TO "tankwatch_manager";
GRANT UPDATE("by_mail") ON TABLE "public"."contact_reach" TO "tankwatch_operator";

--
-- Name: COLUMN "contact_reach"."quiet_from"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("quiet_from") ON TABLE "public"."contact_reach" TO "tankwatch_manager";
GRANT UPDATE("quiet_from") ON TABLE "public"."contact_reach" TO "tankwatch_operator";

--
-- Name: COLUMN "contact_reach"."quiet_to"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("quiet_to") ON TABLE "public"."contact_reach" TO "tankwatch_manager";
GRANT UPDATE("quiet_to") ON TABLE "public"."contact_reach" TO "tankwatch_operator";

--
-- Name: COLUMN "contact_reach"."updated_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("updated_at") ON TABLE "public"."contact_reach" TO "tankwatch_manager";
GRANT UPDATE("updated_at") ON TABLE "public"."contact_reach" TO "tankwatch_operator";

--
-- Name: COLUMN "contact_reach"."by_push"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("by_push") ON TABLE "public"."contact_reach" TO "tankwatch_manager";
GRANT UPDATE("by_push") ON TABLE "public"."contact_reach" TO "tankwatch_operator";
GRANT SELECT("by_push") ON TABLE "public"."contact_reach" TO "tankwatch_api";

--
-- Name: COLUMN "contact_reach"."low_by"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("low_by") ON TABLE "public"."contact_reach" TO "tankwatch_manager";
GRANT UPDATE("low_by") ON TABLE "public"."contact_reach" TO "tankwatch_operator";
GRANT SELECT("low_by") ON TABLE "public"."contact_reach" TO "tankwatch_api";

--
-- Name: COLUMN "contact_reach"."other_by"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("other_by") ON TABLE "public"."contact_reach" TO "tankwatch_manager";
GRANT UPDATE("other_by") ON TABLE "public"."contact_reach" TO "tankwatch_operator";
GRANT SELECT("other_by") ON TABLE "public"."contact_reach" TO "tankwatch_api";

--
-- Name: TABLE "contacts"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."contacts" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."contacts" TO "tankwatch_operator";
GRANT INSERT ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."id"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("id") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."email"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("email"),UPDATE("email") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."types"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("types"),UPDATE("types") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."digest_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("digest_at"),UPDATE("digest_at") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."digest_since"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("digest_since"),UPDATE("digest_since") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."last_seen_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("last_seen_at") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."created_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("created_at") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."deleted_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("deleted_at"),UPDATE("deleted_at") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."roles"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("roles"),UPDATE("roles") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."name"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("name"),UPDATE("name") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."language"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("language"),UPDATE("language") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: COLUMN "contacts"."invited_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("invited_at") ON TABLE "public"."contacts" TO "tankwatch_manager";

--
-- Name: TABLE "contact_settings"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."contact_settings" TO "tankwatch_api";

--
-- Name: TABLE "counter_check"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE "public"."counter_check" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."counter_check" TO "tankwatch_operator";

--
-- Name: TABLE "customer_texts"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."customer_texts" TO "tankwatch_api";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."customer_texts" TO "tankwatch_operator";

--
-- Name: TABLE "delivery_days"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."delivery_days" TO "tankwatch_api";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."delivery_days" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."delivery_days" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."delivery_days" TO "tankwatch_operator";

--
-- Name: TABLE "delivery_notes"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."delivery_notes" TO "tankwatch_api";
GRANT SELECT,INSERT ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."delivery_notes" TO "tankwatch_worker";
GRANT SELECT,INSERT ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."customer_no"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("customer_no") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("customer_no") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."tank_no"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("tank_no") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("tank_no") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."truck_no"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("truck_no") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("truck_no") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."driver_no"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("driver_no") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("driver_no") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("at") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("at") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."precision"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("precision") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("precision") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."volume"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("volume") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("volume") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."unit"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("unit") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("unit") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."is_compensated"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("is_compensated") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("is_compensated") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."product_celsius"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("product_celsius") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("product_celsius") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."filled_to"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("filled_to") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("filled_to") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."is_cancelled"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("is_cancelled") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("is_cancelled") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."source"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("source") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("source") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."product"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("product") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("product") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "delivery_notes"."reference"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("reference") ON TABLE "public"."delivery_notes" TO "tankwatch_manager";
GRANT UPDATE("reference") ON TABLE "public"."delivery_notes" TO "tankwatch_operator";

--
-- Name: TABLE "depots"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."depots" TO "tankwatch_api";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."depots" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."depots" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."depots" TO "tankwatch_operator";

--
-- Name: TABLE "device_assignments"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."device_assignments" TO "tankwatch_writer";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."device_assignments" TO "tankwatch_operator";

--
-- Name: COLUMN "device_assignments"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."device_assignments" TO "tankwatch_manager";
GRANT SELECT("organization_no") ON TABLE "public"."device_assignments" TO "tankwatch_api";

--
-- Name: COLUMN "device_assignments"."tank_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("tank_no") ON TABLE "public"."device_assignments" TO "tankwatch_api";
GRANT SELECT("tank_no") ON TABLE "public"."device_assignments" TO "tankwatch_manager";

--
-- Name: COLUMN "device_assignments"."device_id"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("device_id") ON TABLE "public"."device_assignments" TO "tankwatch_manager";
GRANT SELECT("device_id") ON TABLE "public"."device_assignments" TO "tankwatch_api";

--
-- Name: COLUMN "device_assignments"."from_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("from_at") ON TABLE "public"."device_assignments" TO "tankwatch_api";

--
-- Name: COLUMN "device_assignments"."to_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("to_at") ON TABLE "public"."device_assignments" TO "tankwatch_api";
GRANT SELECT("to_at") ON TABLE "public"."device_assignments" TO "tankwatch_manager";

--
-- Name: COLUMN "device_assignments"."assigned_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("assigned_at") ON TABLE "public"."device_assignments" TO "tankwatch_api";

--
-- Name: COLUMN "device_assignments"."assigned_by"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("assigned_by") ON TABLE "public"."device_assignments" TO "tankwatch_api";

--
-- Name: TABLE "device_credentials"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."device_credentials" TO "tankwatch_operator";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."device_credentials" TO "tankwatch_manager";

--
-- Name: COLUMN "device_credentials"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."device_credentials" TO "tankwatch_gateway";

--
-- Name: COLUMN "device_credentials"."device_id"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("device_id") ON TABLE "public"."device_credentials" TO "tankwatch_gateway";

--
-- Name: COLUMN "device_credentials"."generation"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("generation") ON TABLE "public"."device_credentials" TO "tankwatch_gateway";

--
-- Name: COLUMN "device_credentials"."revoked_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("revoked_at") ON TABLE "public"."device_credentials" TO "tankwatch_gateway";

--
-- Name: COLUMN "device_credentials"."changed_xid"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("changed_xid") ON TABLE "public"."device_credentials" TO "tankwatch_gateway";

--
-- Name: TABLE "device_mails"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."device_mails" TO "tankwatch_worker";

--
-- Name: TABLE "device_password_issues"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."device_password_issues" TO "tankwatch_operator";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."device_password_issues" TO "tankwatch_manager";

--
-- Name: TABLE "digests"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."digests" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."digests" TO "tankwatch_operator";

--
-- Name: TABLE "drivers"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."drivers" TO "tankwatch_api";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."drivers" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."drivers" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."drivers" TO "tankwatch_operator";

--
-- Name: TABLE "duty_plans"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE "public"."duty_plans" TO "tankwatch_manager";
GRANT SELECT,INSERT ON TABLE "public"."duty_plans" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."duty_plans" TO "tankwatch_worker";

--
-- Name: COLUMN "duty_plans"."shifts"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("shifts") ON TABLE "public"."duty_plans" TO "tankwatch_manager";
GRANT UPDATE("shifts") ON TABLE "public"."duty_plans" TO "tankwatch_operator";

--
-- Name: COLUMN "duty_plans"."exceptions"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("exceptions") ON TABLE "public"."duty_plans" TO "tankwatch_manager";
GRANT UPDATE("exceptions") ON TABLE "public"."duty_plans" TO "tankwatch_operator";

--
-- Name: COLUMN "duty_plans"."updated_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("updated_at") ON TABLE "public"."duty_plans" TO "tankwatch_manager";
GRANT UPDATE("updated_at") ON TABLE "public"."duty_plans" TO "tankwatch_operator";

--
-- Name: COLUMN "duty_plans"."escalates"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("escalates") ON TABLE "public"."duty_plans" TO "tankwatch_manager";
GRANT UPDATE("escalates") ON TABLE "public"."duty_plans" TO "tankwatch_operator";

--
-- Name: COLUMN "duty_plans"."first_minutes"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("first_minutes") ON TABLE "public"."duty_plans" TO "tankwatch_manager";
GRANT UPDATE("first_minutes") ON TABLE "public"."duty_plans" TO "tankwatch_operator";

--
-- Name: COLUMN "duty_plans"."next_minutes"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("next_minutes") ON TABLE "public"."duty_plans" TO "tankwatch_manager";
GRANT UPDATE("next_minutes") ON TABLE "public"."duty_plans" TO "tankwatch_operator";

--
-- Name: COLUMN "duty_plans"."all_minutes"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("all_minutes") ON TABLE "public"."duty_plans" TO "tankwatch_manager";
GRANT UPDATE("all_minutes") ON TABLE "public"."duty_plans" TO "tankwatch_operator";

--
-- Name: COLUMN "duty_plans"."repeat_minutes"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("repeat_minutes") ON TABLE "public"."duty_plans" TO "tankwatch_manager";
GRANT UPDATE("repeat_minutes") ON TABLE "public"."duty_plans" TO "tankwatch_operator";

--
-- Name: COLUMN "duty_plans"."empty_percentage"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("empty_percentage") ON TABLE "public"."duty_plans" TO "tankwatch_manager";
GRANT UPDATE("empty_percentage") ON TABLE "public"."duty_plans" TO "tankwatch_operator";

--
-- Name: TABLE "erased_deliveries"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."erased_deliveries" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."erased_deliveries" TO "tankwatch_operator";

--
-- Name: TABLE "escalation_jobs"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."escalation_jobs" TO "tankwatch_worker";

--
-- Name: COLUMN "escalation_jobs"."key"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("key") ON TABLE "public"."escalation_jobs" TO "tankwatch_manager";
GRANT SELECT("key") ON TABLE "public"."escalation_jobs" TO "tankwatch_operator";

--
-- Name: COLUMN "escalation_jobs"."due_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("due_at"),UPDATE("due_at") ON TABLE "public"."escalation_jobs" TO "tankwatch_manager";
GRANT SELECT("due_at"),UPDATE("due_at") ON TABLE "public"."escalation_jobs" TO "tankwatch_operator";

--
-- Name: COLUMN "escalation_jobs"."claimed_by"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("claimed_by") ON TABLE "public"."escalation_jobs" TO "tankwatch_manager";
GRANT SELECT("claimed_by") ON TABLE "public"."escalation_jobs" TO "tankwatch_operator";

--
-- Name: COLUMN "escalation_jobs"."due_again_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("due_again_at"),UPDATE("due_again_at") ON TABLE "public"."escalation_jobs" TO "tankwatch_manager";
GRANT SELECT("due_again_at"),UPDATE("due_again_at") ON TABLE "public"."escalation_jobs" TO "tankwatch_operator";

--
-- Name: COLUMN "escalation_jobs"."given_up_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("given_up_at") ON TABLE "public"."escalation_jobs" TO "tankwatch_manager";
GRANT SELECT("given_up_at") ON TABLE "public"."escalation_jobs" TO "tankwatch_operator";

--
-- Name: TABLE "escalations"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE "public"."escalations" TO "tankwatch_manager";
GRANT SELECT,INSERT ON TABLE "public"."escalations" TO "tankwatch_operator";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."escalations" TO "tankwatch_worker";

--
-- Name: COLUMN "escalations"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."escalations" TO "tankwatch_api";

--
-- Name: COLUMN "escalations"."event_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("event_no") ON TABLE "public"."escalations" TO "tankwatch_api";

--
-- Name: COLUMN "escalations"."stage"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("stage") ON TABLE "public"."escalations" TO "tankwatch_manager";
GRANT UPDATE("stage") ON TABLE "public"."escalations" TO "tankwatch_operator";

--
-- Name: COLUMN "escalations"."next_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("next_at") ON TABLE "public"."escalations" TO "tankwatch_manager";
GRANT UPDATE("next_at") ON TABLE "public"."escalations" TO "tankwatch_operator";

--
-- Name: TABLE "estimated_tanks"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."estimated_tanks" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."estimated_tanks" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."estimated_tanks" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."estimated_tanks" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."estimated_tanks" TO "tankwatch_operator";

--
-- Name: COLUMN "estimated_tanks"."is_dip_wanted"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("is_dip_wanted") ON TABLE "public"."estimated_tanks" TO "tankwatch_writer";
GRANT UPDATE("is_dip_wanted") ON TABLE "public"."estimated_tanks" TO "tankwatch_operator";

--
-- Name: COLUMN "estimated_tanks"."is_told"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("is_told") ON TABLE "public"."estimated_tanks" TO "tankwatch_manager";
GRANT UPDATE("is_told") ON TABLE "public"."estimated_tanks" TO "tankwatch_operator";

--
-- Name: COLUMN "estimated_tanks"."owner_dips_on"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("owner_dips_on") ON TABLE "public"."estimated_tanks" TO "tankwatch_manager";

--
-- Name: COLUMN "estimated_tanks"."owner_dips"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("owner_dips") ON TABLE "public"."estimated_tanks" TO "tankwatch_manager";

--
-- Name: TABLE "event_mails"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."event_mails" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."event_mails" TO "tankwatch_operator";

--
-- Name: COLUMN "event_mails"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."event_mails" TO "tankwatch_api";

--
-- Name: COLUMN "event_mails"."event_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("event_no") ON TABLE "public"."event_mails" TO "tankwatch_api";

--
-- Name: COLUMN "event_mails"."recipient"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("recipient") ON TABLE "public"."event_mails" TO "tankwatch_api";

--
-- Name: COLUMN "event_mails"."recipient_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("recipient_no") ON TABLE "public"."event_mails" TO "tankwatch_api";

--
-- Name: COLUMN "event_mails"."kind"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("kind") ON TABLE "public"."event_mails" TO "tankwatch_api";

--
-- Name: COLUMN "event_mails"."sent_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("sent_at") ON TABLE "public"."event_mails" TO "tankwatch_api";

--
-- Name: COLUMN "event_mails"."retraction_sent_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("retraction_sent_at") ON TABLE "public"."event_mails" TO "tankwatch_api";

--
-- Name: TABLE "failed_mails"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE "public"."failed_mails" TO "tankwatch_worker";

--
-- Name: COLUMN "failed_mails"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."failed_mails" TO "tankwatch_api";

--
-- Name: COLUMN "failed_mails"."event_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("event_no") ON TABLE "public"."failed_mails" TO "tankwatch_api";

--
-- Name: COLUMN "failed_mails"."recipient"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("recipient") ON TABLE "public"."failed_mails" TO "tankwatch_api";

--
-- Name: COLUMN "failed_mails"."recipient_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("recipient_no") ON TABLE "public"."failed_mails" TO "tankwatch_api";

--
-- Name: COLUMN "failed_mails"."kind"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("kind") ON TABLE "public"."failed_mails" TO "tankwatch_api";

--
-- Name: COLUMN "failed_mails"."because"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("because") ON TABLE "public"."failed_mails" TO "tankwatch_api";

--
-- Name: COLUMN "failed_mails"."failed_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("failed_at") ON TABLE "public"."failed_mails" TO "tankwatch_api";

--
-- Name: TABLE "feed_removals"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."feed_removals" TO "tankwatch_api";
GRANT SELECT,DELETE ON TABLE "public"."feed_removals" TO "tankwatch_worker";

--
-- Name: TABLE "former_notes"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."former_notes" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."former_notes" TO "tankwatch_operator";

--
-- Name: TABLE "gauge_profiles"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."gauge_profiles" TO "tankwatch_gateway";
GRANT SELECT,INSERT,DELETE ON TABLE "public"."gauge_profiles" TO "tankwatch_manager";
GRANT SELECT,INSERT,DELETE ON TABLE "public"."gauge_profiles" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."gauge_profiles" TO "tankwatch_worker";

--
-- Name: COLUMN "gauge_profiles"."definition"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("definition") ON TABLE "public"."gauge_profiles" TO "tankwatch_manager";
GRANT UPDATE("definition") ON TABLE "public"."gauge_profiles" TO "tankwatch_operator";

--
-- Name: COLUMN "gauge_profiles"."updated_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("updated_at") ON TABLE "public"."gauge_profiles" TO "tankwatch_manager";
GRANT UPDATE("updated_at") ON TABLE "public"."gauge_profiles" TO "tankwatch_operator";

--
-- Name: COLUMN "gauge_profiles"."deleted_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("deleted_at") ON TABLE "public"."gauge_profiles" TO "tankwatch_manager";
GRANT UPDATE("deleted_at") ON TABLE "public"."gauge_profiles" TO "tankwatch_operator";

--
-- Name: TABLE "gauge_recomputations"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."gauge_recomputations" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."gauge_recomputations" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."gauge_recomputations" TO "tankwatch_writer";

--
-- Name: COLUMN "gauge_recomputations"."next_attempt_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("next_attempt_at") ON TABLE "public"."gauge_recomputations" TO "tankwatch_writer";

--
-- Name: COLUMN "gauge_recomputations"."attempts"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("attempts") ON TABLE "public"."gauge_recomputations" TO "tankwatch_writer";

--
-- Name: COLUMN "gauge_recomputations"."last_error"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("last_error") ON TABLE "public"."gauge_recomputations" TO "tankwatch_writer";

--
-- Name: COLUMN "gauge_recomputations"."computed_to"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("computed_to") ON TABLE "public"."gauge_recomputations" TO "tankwatch_writer";

--
-- Name: COLUMN "gauge_recomputations"."has_changed"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("has_changed") ON TABLE "public"."gauge_recomputations" TO "tankwatch_writer";

--
-- Name: TABLE "mutes"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."mutes" TO "tankwatch_worker";
GRANT SELECT,INSERT ON TABLE "public"."mutes" TO "tankwatch_manager";

--
-- Name: COLUMN "mutes"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."mutes" TO "tankwatch_operator";
GRANT SELECT("no") ON TABLE "public"."mutes" TO "tankwatch_api";

--
-- Name: COLUMN "mutes"."id"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("id") ON TABLE "public"."mutes" TO "tankwatch_operator";

--
-- Name: COLUMN "mutes"."tank_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("tank_no") ON TABLE "public"."mutes" TO "tankwatch_api";
GRANT SELECT("tank_no") ON TABLE "public"."mutes" TO "tankwatch_operator";

--
-- Name: COLUMN "mutes"."until"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("until") ON TABLE "public"."mutes" TO "tankwatch_manager";
GRANT SELECT("until") ON TABLE "public"."mutes" TO "tankwatch_api";

--
-- Name: COLUMN "mutes"."reason"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("reason") ON TABLE "public"."mutes" TO "tankwatch_manager";
GRANT SELECT("reason") ON TABLE "public"."mutes" TO "tankwatch_api";

--
-- Name: COLUMN "mutes"."muted_by"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("muted_by") ON TABLE "public"."mutes" TO "tankwatch_api";

--
-- Name: COLUMN "mutes"."created_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("created_at") ON TABLE "public"."mutes" TO "tankwatch_api";

--
-- Name: COLUMN "mutes"."ended_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("ended_at") ON TABLE "public"."mutes" TO "tankwatch_manager";
GRANT SELECT("ended_at") ON TABLE "public"."mutes" TO "tankwatch_api";

--
-- Name: COLUMN "mutes"."ended_because"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("ended_because") ON TABLE "public"."mutes" TO "tankwatch_manager";
GRANT SELECT("ended_because") ON TABLE "public"."mutes" TO "tankwatch_api";

--
-- Name: TABLE "muted_tanks"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."muted_tanks" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."muted_tanks" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."muted_tanks" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."muted_tanks" TO "tankwatch_manager";

--
-- Name: TABLE "handled_conditions"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."handled_conditions" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."handled_conditions" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."handled_conditions" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."handled_conditions" TO "tankwatch_manager";

--
-- Name: TABLE "idempotency_keys"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."idempotency_keys" TO "tankwatch_manager";

--
-- Name: TABLE "identities"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."identities" TO "tankwatch_operator";

--
-- Name: TABLE "imported_rows"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE "public"."imported_rows" TO "tankwatch_manager";
GRANT SELECT,INSERT,DELETE ON TABLE "public"."imported_rows" TO "tankwatch_operator";
GRANT DELETE ON TABLE "public"."imported_rows" TO "tankwatch_worker";

--
-- Name: COLUMN "imported_rows"."import_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("import_no") ON TABLE "public"."imported_rows" TO "tankwatch_worker";

--
-- Name: COLUMN "imported_rows"."level_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("level_at") ON TABLE "public"."imported_rows" TO "tankwatch_manager";
GRANT UPDATE("level_at") ON TABLE "public"."imported_rows" TO "tankwatch_operator";

--
-- Name: COLUMN "imported_rows"."level_percentage"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("level_percentage") ON TABLE "public"."imported_rows" TO "tankwatch_manager";
GRANT UPDATE("level_percentage") ON TABLE "public"."imported_rows" TO "tankwatch_operator";

--
-- Name: TABLE "imports"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE "public"."imports" TO "tankwatch_manager";
GRANT SELECT,INSERT,DELETE ON TABLE "public"."imports" TO "tankwatch_operator";
GRANT DELETE ON TABLE "public"."imports" TO "tankwatch_worker";

--
-- Name: COLUMN "imports"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."imports" TO "tankwatch_worker";

--
-- Name: COLUMN "imports"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."imports" TO "tankwatch_worker";

--
-- Name: COLUMN "imports"."created"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("created") ON TABLE "public"."imports" TO "tankwatch_manager";
GRANT UPDATE("created") ON TABLE "public"."imports" TO "tankwatch_operator";

--
-- Name: COLUMN "imports"."updated"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("updated") ON TABLE "public"."imports" TO "tankwatch_manager";
GRANT UPDATE("updated") ON TABLE "public"."imports" TO "tankwatch_operator";

--
-- Name: COLUMN "imports"."unchanged"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("unchanged") ON TABLE "public"."imports" TO "tankwatch_manager";
GRANT UPDATE("unchanged") ON TABLE "public"."imports" TO "tankwatch_operator";

--
-- Name: COLUMN "imports"."created_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("created_at") ON TABLE "public"."imports" TO "tankwatch_worker";

--
-- Name: COLUMN "imports"."is_recorded"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("is_recorded") ON TABLE "public"."imports" TO "tankwatch_manager";
GRANT UPDATE("is_recorded") ON TABLE "public"."imports" TO "tankwatch_operator";

--
-- Name: COLUMN "imports"."undone_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("undone_at") ON TABLE "public"."imports" TO "tankwatch_manager";
GRANT UPDATE("undone_at") ON TABLE "public"."imports" TO "tankwatch_operator";

--
-- Name: COLUMN "imports"."undone_by"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("undone_by") ON TABLE "public"."imports" TO "tankwatch_manager";
GRANT UPDATE("undone_by") ON TABLE "public"."imports" TO "tankwatch_operator";

--
-- Name: TABLE "issuers"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."issuers" TO "tankwatch_operator";

--
-- Name: TABLE "key_activity"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."key_activity" TO "tankwatch_operator";

--
-- Name: TABLE "ledger_clock_samples"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."ledger_clock_samples" TO "tankwatch_worker";

--
-- Name: TABLE "ledger_entries"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."ledger_entries" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."ledger_entries" TO "tankwatch_manager";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."ledger_entries" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."ledger_entries" TO "tankwatch_operator";

--
-- Name: TABLE "ledger_marks"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE "public"."ledger_marks" TO "tankwatch_worker";

--
-- Name: TABLE "ledger_organizations"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."ledger_organizations" TO "tankwatch_worker";

--
-- Name: COLUMN "ledger_organizations"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."ledger_organizations" TO "tankwatch_api";

--
-- Name: COLUMN "ledger_organizations"."common_offset"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("common_offset") ON TABLE "public"."ledger_organizations" TO "tankwatch_api";

--
-- Name: COLUMN "ledger_organizations"."is_off"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("is_off") ON TABLE "public"."ledger_organizations" TO "tankwatch_api";

--
-- Name: TABLE "mail_jobs"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."mail_jobs" TO "tankwatch_worker";

--
-- Name: TABLE "newest_backup"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."newest_backup" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."newest_backup" TO "tankwatch_worker";

--
-- Name: TABLE "note_pins"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."note_pins" TO "tankwatch_api";
GRANT SELECT,INSERT,DELETE ON TABLE "public"."note_pins" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."note_pins" TO "tankwatch_worker";

--
-- Name: COLUMN "note_pins"."kind"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("kind") ON TABLE "public"."note_pins" TO "tankwatch_manager";

--
-- Name: COLUMN "note_pins"."pinned_by"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("pinned_by") ON TABLE "public"."note_pins" TO "tankwatch_manager";

--
-- Name: COLUMN "note_pins"."created_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("created_at") ON TABLE "public"."note_pins" TO "tankwatch_manager";

--
-- Name: TABLE "notification_holds"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."notification_holds" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."notification_holds" TO "tankwatch_operator";

--
-- Name: TABLE "organization_secrets"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."organization_secrets" TO "tankwatch_operator";

--
-- Name: COLUMN "organization_secrets"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."organization_secrets" TO "tankwatch_gateway";
GRANT SELECT("organization_no") ON TABLE "public"."organization_secrets" TO "tankwatch_worker";
GRANT SELECT("organization_no") ON TABLE "public"."organization_secrets" TO "tankwatch_manager";

--
-- Name: COLUMN "organization_secrets"."sealed_device_secret"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("sealed_device_secret") ON TABLE "public"."organization_secrets" TO "tankwatch_gateway";
GRANT SELECT("sealed_device_secret") ON TABLE "public"."organization_secrets" TO "tankwatch_manager";

--
-- Name: COLUMN "organization_secrets"."sealed_link_secret"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("sealed_link_secret") ON TABLE "public"."organization_secrets" TO "tankwatch_worker";

--
-- Name: COLUMN "organization_secrets"."wrapped_device_secret"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("wrapped_device_secret") ON TABLE "public"."organization_secrets" TO "tankwatch_gateway";
GRANT SELECT("wrapped_device_secret") ON TABLE "public"."organization_secrets" TO "tankwatch_manager";

--
-- Name: COLUMN "organization_secrets"."wrapped_link_secret"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("wrapped_link_secret") ON TABLE "public"."organization_secrets" TO "tankwatch_worker";

--
-- Name: COLUMN "organization_secrets"."changed_xid"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("changed_xid") ON TABLE "public"."organization_secrets" TO "tankwatch_gateway";

--
-- Name: TABLE "organizations"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."organizations" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."organizations" TO "tankwatch_operator";

--
-- Name: COLUMN "organizations"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."organizations" TO "tankwatch_gateway";
GRANT SELECT("no") ON TABLE "public"."organizations" TO "tankwatch_api";
GRANT SELECT("no") ON TABLE "public"."organizations" TO "tankwatch_manager";

--
-- Name: COLUMN "organizations"."code"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("code") ON TABLE "public"."organizations" TO "tankwatch_gateway";

--
-- Name: COLUMN "organizations"."name"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("name") ON TABLE "public"."organizations" TO "tankwatch_api";

--
-- Name: COLUMN "organizations"."language"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("language") ON TABLE "public"."organizations" TO "tankwatch_api";
GRANT SELECT("language") ON TABLE "public"."organizations" TO "tankwatch_manager";

--
-- Name: COLUMN "organizations"."time_zone"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("time_zone") ON TABLE "public"."organizations" TO "tankwatch_api";
GRANT SELECT("time_zone") ON TABLE "public"."organizations" TO "tankwatch_manager";

--
-- Name: COLUMN "organizations"."phone"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("phone") ON TABLE "public"."organizations" TO "tankwatch_api";

--
-- Name: COLUMN "organizations"."readings_per_second"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("readings_per_second") ON TABLE "public"."organizations" TO "tankwatch_gateway";

--
-- Name: COLUMN "organizations"."deleted_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("deleted_at") ON TABLE "public"."organizations" TO "tankwatch_gateway";

--
-- Name: COLUMN "organizations"."emergency_phone"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("emergency_phone") ON TABLE "public"."organizations" TO "tankwatch_api";

--
-- Name: COLUMN "organizations"."safety_steps"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("safety_steps") ON TABLE "public"."organizations" TO "tankwatch_api";

--
-- Name: COLUMN "organizations"."default_product"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("default_product") ON TABLE "public"."organizations" TO "tankwatch_api";
GRANT SELECT("default_product"),UPDATE("default_product") ON TABLE "public"."organizations" TO "tankwatch_manager";

--
-- Name: COLUMN "organizations"."unusual_use_off_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("unusual_use_off_at"),UPDATE("unusual_use_off_at") ON TABLE "public"."organizations" TO "tankwatch_manager";

--
-- Name: TABLE "organization_settings"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."organization_settings" TO "tankwatch_api";

--
-- Name: TABLE "packed_months"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE "public"."packed_months" TO "tankwatch_operator";

--
-- Name: TABLE "packed_telemetry"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."packed_telemetry" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."packed_telemetry" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."packed_telemetry" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."packed_telemetry" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."packed_telemetry" TO "tankwatch_manager";

--
-- Name: TABLE "place_temperatures"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE "public"."place_temperatures" TO "tankwatch_worker";
GRANT SELECT,DELETE ON TABLE "public"."place_temperatures" TO "tankwatch_operator";

--
-- Name: TABLE "places"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."places" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."places" TO "tankwatch_writer";
GRANT SELECT,UPDATE ON TABLE "public"."places" TO "tankwatch_worker";
GRANT SELECT,DELETE,UPDATE ON TABLE "public"."places" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."places" TO "tankwatch_manager";

--
-- Name: TABLE "profile_assignments"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."profile_assignments" TO "tankwatch_gateway";
GRANT SELECT,INSERT,DELETE ON TABLE "public"."profile_assignments" TO "tankwatch_manager";
GRANT SELECT,INSERT,DELETE ON TABLE "public"."profile_assignments" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."profile_assignments" TO "tankwatch_worker";

--
-- Name: COLUMN "profile_assignments"."profile"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("profile") ON TABLE "public"."profile_assignments" TO "tankwatch_manager";
GRANT UPDATE("profile") ON TABLE "public"."profile_assignments" TO "tankwatch_operator";

--
-- Name: COLUMN "profile_assignments"."settings"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("settings") ON TABLE "public"."profile_assignments" TO "tankwatch_manager";
GRANT UPDATE("settings") ON TABLE "public"."profile_assignments" TO "tankwatch_operator";

--
-- Name: COLUMN "profile_assignments"."updated_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("updated_at") ON TABLE "public"."profile_assignments" TO "tankwatch_manager";
GRANT UPDATE("updated_at") ON TABLE "public"."profile_assignments" TO "tankwatch_operator";

--
-- Name: COLUMN "profile_assignments"."deleted_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("deleted_at") ON TABLE "public"."profile_assignments" TO "tankwatch_manager";
GRANT UPDATE("deleted_at") ON TABLE "public"."profile_assignments" TO "tankwatch_operator";

--
-- Name: TABLE "push_jobs"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."push_jobs" TO "tankwatch_worker";

--
-- Name: TABLE "push_keys"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE "public"."push_keys" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."push_keys" TO "tankwatch_operator";

--
-- Name: COLUMN "push_keys"."public_key"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("public_key") ON TABLE "public"."push_keys" TO "tankwatch_api";

--
-- Name: COLUMN "push_keys"."sealed_private_key"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("sealed_private_key") ON TABLE "public"."push_keys" TO "tankwatch_operator";

--
-- Name: TABLE "push_subscriptions"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE "public"."push_subscriptions" TO "tankwatch_worker";

--
-- Name: COLUMN "push_subscriptions"."id"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("id") ON TABLE "public"."push_subscriptions" TO "tankwatch_api";

--
-- Name: COLUMN "push_subscriptions"."contact_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("contact_no") ON TABLE "public"."push_subscriptions" TO "tankwatch_api";
GRANT SELECT("contact_no") ON TABLE "public"."push_subscriptions" TO "tankwatch_manager";
GRANT SELECT("contact_no") ON TABLE "public"."push_subscriptions" TO "tankwatch_operator";

--
-- Name: COLUMN "push_subscriptions"."name"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("name") ON TABLE "public"."push_subscriptions" TO "tankwatch_api";

--
-- Name: COLUMN "push_subscriptions"."created_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("created_at") ON TABLE "public"."push_subscriptions" TO "tankwatch_api";

--
-- Name: TABLE "pushes"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."pushes" TO "tankwatch_worker";

--
-- Name: TABLE "reading_batches"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."reading_batches" TO "tankwatch_api";
GRANT INSERT ON TABLE "public"."reading_batches" TO "tankwatch_writer";
GRANT INSERT ON TABLE "public"."reading_batches" TO "tankwatch_operator";
GRANT SELECT,DELETE ON TABLE "public"."reading_batches" TO "tankwatch_worker";

--
-- Name: TABLE "reading_followers"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."reading_followers" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."reading_followers" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."reading_followers" TO "tankwatch_operator";
GRANT SELECT,DELETE ON TABLE "public"."reading_followers" TO "tankwatch_worker";

--
-- Name: TABLE "reevaluations"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."reevaluations" TO "tankwatch_writer";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."reevaluations" TO "tankwatch_operator";

--
-- Name: TABLE "regional_rates"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."regional_rates" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."regional_rates" TO "tankwatch_operator";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."regional_rates" TO "tankwatch_worker";

--
-- Name: TABLE "rejected_readings"; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT ON TABLE "public"."rejected_readings" TO "tankwatch_writer";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."rejected_readings" TO "tankwatch_operator";

--
-- Name: COLUMN "rejected_readings"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."rejected_readings" TO "tankwatch_manager";
GRANT SELECT("no") ON TABLE "public"."rejected_readings" TO "tankwatch_writer";

--
-- Name: COLUMN "rejected_readings"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."rejected_readings" TO "tankwatch_manager";
GRANT SELECT("organization_no") ON TABLE "public"."rejected_readings" TO "tankwatch_writer";

--
-- Name: COLUMN "rejected_readings"."device_id"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("device_id") ON TABLE "public"."rejected_readings" TO "tankwatch_manager";
GRANT SELECT("device_id") ON TABLE "public"."rejected_readings" TO "tankwatch_writer";

--
-- Name: COLUMN "rejected_readings"."code"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("code") ON TABLE "public"."rejected_readings" TO "tankwatch_manager";
GRANT SELECT("code") ON TABLE "public"."rejected_readings" TO "tankwatch_writer";

--
-- Name: COLUMN "rejected_readings"."detail"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("detail") ON TABLE "public"."rejected_readings" TO "tankwatch_manager";

--
-- Name: COLUMN "rejected_readings"."raw"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("raw") ON TABLE "public"."rejected_readings" TO "tankwatch_manager";
GRANT SELECT("raw") ON TABLE "public"."rejected_readings" TO "tankwatch_writer";

--
-- Name: COLUMN "rejected_readings"."format"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("format") ON TABLE "public"."rejected_readings" TO "tankwatch_manager";
GRANT SELECT("format") ON TABLE "public"."rejected_readings" TO "tankwatch_writer";

--
-- Name: COLUMN "rejected_readings"."received_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("received_at") ON TABLE "public"."rejected_readings" TO "tankwatch_manager";
GRANT SELECT("received_at") ON TABLE "public"."rejected_readings" TO "tankwatch_writer";

--
-- Name: COLUMN "rejected_readings"."settled_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("settled_at") ON TABLE "public"."rejected_readings" TO "tankwatch_manager";
GRANT SELECT("settled_at"),UPDATE("settled_at") ON TABLE "public"."rejected_readings" TO "tankwatch_writer";

--
-- Name: COLUMN "rejected_readings"."settlement"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("settlement") ON TABLE "public"."rejected_readings" TO "tankwatch_writer";

--
-- Name: COLUMN "rejected_readings"."settled_by"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("settled_by") ON TABLE "public"."rejected_readings" TO "tankwatch_writer";

--
-- Name: TABLE "reminder_unsubscribes"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."reminder_unsubscribes" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."reminder_unsubscribes" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."reminder_unsubscribes" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."reminder_unsubscribes" TO "tankwatch_api";

--
-- Name: TABLE "removals"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."removals" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."removals" TO "tankwatch_operator";

--
-- Name: TABLE "restore_drills"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE "public"."restore_drills" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."restore_drills" TO "tankwatch_worker";

--
-- Name: TABLE "round_stops"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."round_stops" TO "tankwatch_api";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."round_stops" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."round_stops" TO "tankwatch_worker";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."round_stops" TO "tankwatch_operator";

--
-- Name: TABLE "rounds"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."rounds" TO "tankwatch_api";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."rounds" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."rounds" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."rounds" TO "tankwatch_operator";

--
-- Name: COLUMN "rounds"."state"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("state") ON TABLE "public"."rounds" TO "tankwatch_worker";

--
-- Name: COLUMN "rounds"."ended_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("ended_at") ON TABLE "public"."rounds" TO "tankwatch_worker";

--
-- Name: COLUMN "rounds"."updated_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("updated_at") ON TABLE "public"."rounds" TO "tankwatch_worker";

--
-- Name: TABLE "round_stop_outcomes"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."round_stop_outcomes" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."round_stop_outcomes" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."round_stop_outcomes" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."round_stop_outcomes" TO "tankwatch_operator";

--
-- Name: TABLE "round_states"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."round_states" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."round_states" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."round_states" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."round_states" TO "tankwatch_operator";

--
-- Name: TABLE "round_stop_blocks"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."round_stop_blocks" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."round_stop_blocks" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."round_stop_blocks" TO "tankwatch_operator";

--
-- Name: TABLE "round_stop_words"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."round_stop_words" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."round_stop_words" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."round_stop_words" TO "tankwatch_operator";

--
-- Name: TABLE "schema_migrations"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."schema_migrations" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."schema_migrations" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."schema_migrations" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."schema_migrations" TO "tankwatch_worker";

--
-- Name: TABLE "search_words"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."search_words" TO "tankwatch_api";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."search_words" TO "tankwatch_operator";

--
-- Name: TABLE "seen_refills"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."seen_refills" TO "tankwatch_manager";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."seen_refills" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."seen_refills" TO "tankwatch_operator";

--
-- Name: TABLE "session_changes"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."session_changes" TO "tankwatch_api";

--
-- Name: TABLE "session_credentials"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."session_credentials" TO "tankwatch_api";

--
-- Name: TABLE "session_issuers"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."session_issuers" TO "tankwatch_api";

--
-- Name: TABLE "sign_in_identities"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."sign_in_identities" TO "tankwatch_worker";

--
-- Name: TABLE "sign_in_issuers"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."sign_in_issuers" TO "tankwatch_api";

--
-- Name: TABLE "stream_positions"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."stream_positions" TO "tankwatch_writer";

--
-- Name: TABLE "tank_checkpoints"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."tank_checkpoints" TO "tankwatch_writer";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."tank_checkpoints" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."tank_checkpoints" TO "tankwatch_worker";

--
-- Name: TABLE "tank_contents"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."tank_contents" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."tank_contents" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."tank_contents" TO "tankwatch_operator";

--
-- Name: TABLE "tank_gauges"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE "public"."tank_gauges" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."tank_gauges" TO "tankwatch_writer";
GRANT SELECT,INSERT,DELETE ON TABLE "public"."tank_gauges" TO "tankwatch_operator";

--
-- Name: COLUMN "tank_gauges"."definition"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("definition") ON TABLE "public"."tank_gauges" TO "tankwatch_manager";
GRANT UPDATE("definition") ON TABLE "public"."tank_gauges" TO "tankwatch_operator";

--
-- Name: COLUMN "tank_gauges"."changed_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("changed_at") ON TABLE "public"."tank_gauges" TO "tankwatch_manager";
GRANT UPDATE("changed_at") ON TABLE "public"."tank_gauges" TO "tankwatch_operator";

--
-- Name: COLUMN "tank_gauges"."changed_by"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("changed_by") ON TABLE "public"."tank_gauges" TO "tankwatch_manager";
GRANT UPDATE("changed_by") ON TABLE "public"."tank_gauges" TO "tankwatch_operator";

--
-- Name: COLUMN "tank_gauges"."unreadable"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("unreadable") ON TABLE "public"."tank_gauges" TO "tankwatch_writer";

--
-- Name: TABLE "tank_notes"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE "public"."tank_notes" TO "tankwatch_manager";

--
-- Name: COLUMN "tank_notes"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."tank_notes" TO "tankwatch_operator";
GRANT SELECT("no") ON TABLE "public"."tank_notes" TO "tankwatch_api";

--
-- Name: COLUMN "tank_notes"."id"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("id") ON TABLE "public"."tank_notes" TO "tankwatch_operator";
GRANT SELECT("id") ON TABLE "public"."tank_notes" TO "tankwatch_api";

--
-- Name: COLUMN "tank_notes"."tank_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("tank_no") ON TABLE "public"."tank_notes" TO "tankwatch_api";
GRANT SELECT("tank_no") ON TABLE "public"."tank_notes" TO "tankwatch_operator";

--
-- Name: COLUMN "tank_notes"."text"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("text") ON TABLE "public"."tank_notes" TO "tankwatch_manager";
GRANT SELECT("text") ON TABLE "public"."tank_notes" TO "tankwatch_api";

--
-- Name: COLUMN "tank_notes"."prints"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("prints") ON TABLE "public"."tank_notes" TO "tankwatch_manager";
GRANT SELECT("prints") ON TABLE "public"."tank_notes" TO "tankwatch_api";

--
-- Name: COLUMN "tank_notes"."written_by"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("written_by") ON TABLE "public"."tank_notes" TO "tankwatch_api";

--
-- Name: COLUMN "tank_notes"."created_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("created_at") ON TABLE "public"."tank_notes" TO "tankwatch_api";

--
-- Name: COLUMN "tank_notes"."updated_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("updated_at") ON TABLE "public"."tank_notes" TO "tankwatch_manager";

--
-- Name: COLUMN "tank_notes"."deleted_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("deleted_at") ON TABLE "public"."tank_notes" TO "tankwatch_manager";
GRANT SELECT("deleted_at") ON TABLE "public"."tank_notes" TO "tankwatch_api";

--
-- Name: TABLE "tank_outages"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."tank_outages" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."tank_outages" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."tank_outages" TO "tankwatch_operator";

--
-- Name: TABLE "tank_settings"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."tank_settings" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."tank_settings" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."tank_settings" TO "tankwatch_worker";

--
-- Name: TABLE "tank_settings_history"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."tank_settings_history" TO "tankwatch_writer";
GRANT SELECT,INSERT ON TABLE "public"."tank_settings_history" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."tank_settings_history" TO "tankwatch_worker";

--
-- Name: COLUMN "tank_settings_history"."tank_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("tank_no") ON TABLE "public"."tank_settings_history" TO "tankwatch_api";

--
-- Name: COLUMN "tank_settings_history"."at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("at") ON TABLE "public"."tank_settings_history" TO "tankwatch_api";

--
-- Name: COLUMN "tank_settings_history"."min_fill_alert_percentage"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("min_fill_alert_percentage") ON TABLE "public"."tank_settings_history" TO "tankwatch_api";

--
-- Name: COLUMN "tank_settings_history"."changed_by"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("changed_by") ON TABLE "public"."tank_settings_history" TO "tankwatch_api";

--
-- Name: TABLE "tank_texts"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."tank_texts" TO "tankwatch_api";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."tank_texts" TO "tankwatch_operator";

--
-- Name: TABLE "tank_weather"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."tank_weather" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."tank_weather" TO "tankwatch_writer";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."tank_weather" TO "tankwatch_worker";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."tank_weather" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."tank_weather" TO "tankwatch_manager";

--
-- Name: TABLE "tanks_to_end"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."tanks_to_end" TO "tankwatch_worker";

--
-- Name: TABLE "telemetry"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."telemetry" TO "tankwatch_api";
GRANT SELECT,INSERT ON TABLE "public"."telemetry" TO "tankwatch_writer";
GRANT SELECT,INSERT ON TABLE "public"."telemetry" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."telemetry" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."telemetry" TO "tankwatch_manager";

--
-- Name: TABLE "telemetry_buckets"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."telemetry_buckets" TO "tankwatch_api";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."telemetry_buckets" TO "tankwatch_writer";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."telemetry_buckets" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."telemetry_buckets" TO "tankwatch_worker";

--
-- Name: TABLE "telemetry_month_counters"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."telemetry_month_counters" TO "tankwatch_api";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."telemetry_month_counters" TO "tankwatch_writer";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."telemetry_month_counters" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."telemetry_month_counters" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."telemetry_month_counters" TO "tankwatch_manager";

--
-- Name: TABLE "text_channels"; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT ON TABLE "public"."text_channels" TO "tankwatch_manager";
GRANT SELECT,INSERT ON TABLE "public"."text_channels" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."text_channels" TO "tankwatch_worker";

--
-- Name: COLUMN "text_channels"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."text_channels" TO "tankwatch_manager";

--
-- Name: COLUMN "text_channels"."id"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("id") ON TABLE "public"."text_channels" TO "tankwatch_manager";

--
-- Name: COLUMN "text_channels"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."text_channels" TO "tankwatch_manager";

--
-- Name: COLUMN "text_channels"."provider"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("provider"),UPDATE("provider") ON TABLE "public"."text_channels" TO "tankwatch_manager";
GRANT UPDATE("provider") ON TABLE "public"."text_channels" TO "tankwatch_operator";

--
-- Name: COLUMN "text_channels"."settings"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("settings"),UPDATE("settings") ON TABLE "public"."text_channels" TO "tankwatch_manager";
GRANT UPDATE("settings") ON TABLE "public"."text_channels" TO "tankwatch_operator";

--
-- Name: COLUMN "text_channels"."sealed_secret"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("sealed_secret") ON TABLE "public"."text_channels" TO "tankwatch_manager";
GRANT UPDATE("sealed_secret") ON TABLE "public"."text_channels" TO "tankwatch_operator";

--
-- Name: COLUMN "text_channels"."daily_limit"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("daily_limit"),UPDATE("daily_limit") ON TABLE "public"."text_channels" TO "tankwatch_manager";
GRANT UPDATE("daily_limit") ON TABLE "public"."text_channels" TO "tankwatch_operator";

--
-- Name: COLUMN "text_channels"."created_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("created_at") ON TABLE "public"."text_channels" TO "tankwatch_manager";

--
-- Name: COLUMN "text_channels"."updated_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("updated_at"),UPDATE("updated_at") ON TABLE "public"."text_channels" TO "tankwatch_manager";
GRANT UPDATE("updated_at") ON TABLE "public"."text_channels" TO "tankwatch_operator";

--
-- Name: COLUMN "text_channels"."deleted_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("deleted_at"),UPDATE("deleted_at") ON TABLE "public"."text_channels" TO "tankwatch_manager";
GRANT UPDATE("deleted_at") ON TABLE "public"."text_channels" TO "tankwatch_operator";

--
-- Name: TABLE "text_jobs"; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT ON TABLE "public"."text_jobs" TO "tankwatch_manager";
GRANT INSERT ON TABLE "public"."text_jobs" TO "tankwatch_operator";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."text_jobs" TO "tankwatch_worker";

--
-- Name: TABLE "text_usage"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."text_usage" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."text_usage" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."text_usage" TO "tankwatch_operator";

--
-- Name: TABLE "texts"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE "public"."texts" TO "tankwatch_manager";
GRANT SELECT,INSERT ON TABLE "public"."texts" TO "tankwatch_operator";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."texts" TO "tankwatch_worker";

--
-- Name: COLUMN "texts"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."texts" TO "tankwatch_api";

--
-- Name: COLUMN "texts"."contact_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("contact_no") ON TABLE "public"."texts" TO "tankwatch_api";

--
-- Name: COLUMN "texts"."escalation_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("escalation_no") ON TABLE "public"."texts" TO "tankwatch_api";

--
-- Name: COLUMN "texts"."step"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("step") ON TABLE "public"."texts" TO "tankwatch_api";

--
-- Name: COLUMN "texts"."status"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("status") ON TABLE "public"."texts" TO "tankwatch_api";

--
-- Name: COLUMN "texts"."error"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("error") ON TABLE "public"."texts" TO "tankwatch_api";

--
-- Name: COLUMN "texts"."created_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("created_at") ON TABLE "public"."texts" TO "tankwatch_api";

--
-- Name: TABLE "trucks"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."trucks" TO "tankwatch_api";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."trucks" TO "tankwatch_manager";
GRANT SELECT ON TABLE "public"."trucks" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."trucks" TO "tankwatch_operator";

--
-- Name: TABLE "waiting_dips"; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT ON TABLE "public"."waiting_dips" TO "tankwatch_manager";
GRANT INSERT ON TABLE "public"."waiting_dips" TO "tankwatch_operator";
GRANT SELECT,DELETE ON TABLE "public"."waiting_dips" TO "tankwatch_writer";

--
-- Name: COLUMN "waiting_dips"."tank_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("tank_no") ON TABLE "public"."waiting_dips" TO "tankwatch_manager";
GRANT SELECT("tank_no") ON TABLE "public"."waiting_dips" TO "tankwatch_operator";

--
-- Name: COLUMN "waiting_dips"."at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("at") ON TABLE "public"."waiting_dips" TO "tankwatch_manager";
GRANT SELECT("at") ON TABLE "public"."waiting_dips" TO "tankwatch_operator";

--
-- Name: COLUMN "waiting_dips"."fill_percentage"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("fill_percentage") ON TABLE "public"."waiting_dips" TO "tankwatch_manager";
GRANT SELECT("fill_percentage") ON TABLE "public"."waiting_dips" TO "tankwatch_operator";

--
-- Name: TABLE "webhook_deliveries"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."webhook_deliveries" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."webhook_deliveries" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."webhook_deliveries" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_deliveries"."endpoint_no"; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT("endpoint_no") ON TABLE "public"."webhook_deliveries" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_deliveries"."event_no"; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT("event_no") ON TABLE "public"."webhook_deliveries" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_deliveries"."status"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("status") ON TABLE "public"."webhook_deliveries" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_deliveries"."tries"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("tries") ON TABLE "public"."webhook_deliveries" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_deliveries"."next_attempt_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("next_attempt_at") ON TABLE "public"."webhook_deliveries" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_deliveries"."finished_at"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("finished_at") ON TABLE "public"."webhook_deliveries" TO "tankwatch_manager";

--
-- Name: TABLE "webhook_endpoints"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE "public"."webhook_endpoints" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."webhook_endpoints" TO "tankwatch_operator";
GRANT INSERT ON TABLE "public"."webhook_endpoints" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_endpoints"."no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("no") ON TABLE "public"."webhook_endpoints" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_endpoints"."id"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("id") ON TABLE "public"."webhook_endpoints" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_endpoints"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."webhook_endpoints" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_endpoints"."url"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("url"),UPDATE("url") ON TABLE "public"."webhook_endpoints" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_endpoints"."types"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("types"),UPDATE("types") ON TABLE "public"."webhook_endpoints" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_endpoints"."previous_secret_until"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("previous_secret_until") ON TABLE "public"."webhook_endpoints" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_endpoints"."failing_since"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("failing_since"),UPDATE("failing_since") ON TABLE "public"."webhook_endpoints" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_endpoints"."disabled_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("disabled_at"),UPDATE("disabled_at") ON TABLE "public"."webhook_endpoints" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_endpoints"."disabled_because"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("disabled_because"),UPDATE("disabled_because") ON TABLE "public"."webhook_endpoints" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_endpoints"."created_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("created_at") ON TABLE "public"."webhook_endpoints" TO "tankwatch_manager";

--
-- Name: COLUMN "webhook_endpoints"."deleted_at"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("deleted_at"),UPDATE("deleted_at") ON TABLE "public"."webhook_endpoints" TO "tankwatch_manager";

--
-- Name: TABLE "webhook_followers"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE "public"."webhook_followers" TO "tankwatch_worker";

--
-- Name: TABLE "webhook_settings"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."webhook_settings" TO "tankwatch_api";

--
-- Name: TABLE "webhook_tests"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."webhook_tests" TO "tankwatch_manager";
GRANT SELECT,UPDATE ON TABLE "public"."webhook_tests" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."webhook_tests" TO "tankwatch_operator";

--
-- PostgreSQL database dump complete
--

