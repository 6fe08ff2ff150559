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
          and key not in ('updated_at', 'settings_changed_at', 'last_seen_at', 'last_used_at', 'changed_xid', 'failing_since', 'erased_at')
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
-- Name: choose_sign_in("bytea", "uuid", "text", "bytea"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."choose_sign_in"("of_browser_sha256" "bytea", "chosen_id" "uuid", "new_prefix" "text", "new_secret_sha256" "bytea") RETURNS boolean
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
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
  where s.browser_sha256 = of_browser_sha256 and s.redeemed_at is not null and s.chosen_at is null;
  if not found then
    return null;  -- chosen by another request meanwhile
  end if;
  select i.* into strict chosen from sign_ins s join sign_in_identities i using (address)
  where s.browser_sha256 = of_browser_sha256 and i.id = chosen_id;
  insert into sessions (prefix, secret_sha256, contact_no, organization_no, customer_no, requests_per_second, burst, expires_at)
  values (new_prefix, new_secret_sha256, chosen.contact_no, chosen.organization_no, chosen.customer_no, 50, 500,
          session_expiry(now(), now(), chosen.contact_no is null));
  -- Somebody who signs in again and again keeps the newest sessions.
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
-- Name: count_catalog_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."count_catalog_change"() RETURNS "trigger"
    LANGUAGE "plpgsql"
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
-- Name: customer_search_text("text", "text", "text", "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."customer_search_text"("name" "text", "email" "text", "phone" "text", "external_key" "text") RETURNS "text"
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $$
  select public.fold_text(coalesce(name, '') || ' ' || coalesce(email, '') || ' ' || coalesce(phone, '') || ' '
    || coalesce(external_key, ''))
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
    select no from sign_ins where created_at < now() - interval '1 day' order by no limit 10000
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
  return ended;
end
$$;

--
-- Name: end_session("text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."end_session"("of_prefix" "text") RETURNS "void"
    LANGUAGE "sql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  update sessions set ended_at = now() where prefix = of_prefix and ended_at is null
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
  delete from sign_ins where address = lower(old.email collate "C");
  return null;
end
$_$;

--
-- Name: enqueue_events(bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."enqueue_events"("event_nos" bigint[]) RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
begin
  if cardinality(event_nos) > 0 then
    perform graphile_worker.add_job('notify_events', json_build_object('event_nos', event_nos), priority => -10);
  end if;
end
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
  return null;
end
$$;

--
-- Name: final_change_number(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."final_change_number"("in_organization_no" integer) RETURNS bigint
    LANGUAGE "sql" STABLE
    AS $$
  select (case when pg_is_in_recovery() then (
            select change_number >> 44 from events where organization_no = in_organization_no
            order by change_number desc limit 1)
          else change_epoch() end << 44) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint
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
  select translate(lower(given), 'áàâäãåéèêëíìîïóòôöõúùûüñç', 'aaaaaaeeeeiiiiooooouuuunc')
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
  return null;
end
$$;

--
-- Name: hot_telemetry_time(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."hot_telemetry_time"() RETURNS interval
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $$ select interval '840 hours' $$;

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
begin
  return query
    select (count(*) filter (where is_overdue))::int, min(j.run_at) filter (where is_overdue),
           (count(*) filter (where is_given_up))::int, min(j.task_identifier) filter (where is_given_up),
           exists (
             select from pg_locks
             where locktype = 'advisory' and granted and objsubid = 2
               and database = (select oid from pg_database where datname = current_database())
               and classid = (hashtext('tankwatch worker')::bigint & 4294967295)::oid
           )
    from graphile_worker.jobs j
    cross join lateral (
      select j.attempts >= j.max_attempts as is_given_up,
             j.attempts < j.max_attempts and j.locked_at is null and j.run_at < now() - interval '10 minutes' as is_overdue
    ) as s;
end
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
    LANGUAGE "sql"
    AS $$
  select (change_epoch() << 44) + pg_current_xact_id()::text::bigint
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
    select part.tank_no, part.starts_at, r.times, r.levels
    from part cross join lateral (
      select array_agg(packed_time(t.created_at, origin)) as times,
             array_agg(round(t.fill_percentage * 100)::smallint) as levels
      from (
        select t.created_at, t.fill_percentage from telemetry t
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
    insert into packed_telemetry (tank_no, starts_at, times, levels, checksum)
    select p.tank_no, p.starts_at, p.times, p.levels, packed_checksum(p.tank_no, p.starts_at, p.times, p.levels)
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
-- Name: raise_change_epoch(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."raise_change_epoch"() RETURNS "void"
    LANGUAGE "sql"
    AS $$
  update change_epochs
  set epoch = greatest(epoch, epoch + (select coalesce(max(change_number), 0) >> 44 from events) + 16 - change_epoch())
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
  if in_action not in ('import', 'issue', 'replay', 'pack', 'unpack') then
    raise exception 'the action % is recorded by triggers only', in_action;
  end if;
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  values (current_actor(), in_organization_no, in_object, in_action, in_fields, in_object_nos);
end
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
    LANGUAGE "plpgsql"
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
    LANGUAGE "plpgsql"
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
  -- The lock of record_key_use, which also changes customers: one at a time, they cannot deadlock.
  perform pg_advisory_xact_lock(hashtext('record_key_use'));

  update sessions s set expires_at = used.extended_to
  from (
    select o.no, least(session_expiry(o.created_at, least(u.used_at, now()), is_owner), k.expires_at) as extended_to,
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
    LANGUAGE "plpgsql"
    AS $$
begin
  -- Of two changes in one millisecond, the first has the settings that were in effect before.
  insert into tank_settings_history (tank_no, at, min_fill_alert_percentage, capacity, capacity_unit)
  select o.no, now(), o.min_fill_alert_percentage, o.capacity, o.capacity_unit
  from old_rows o join new_rows n using (no)
  where (o.min_fill_alert_percentage, o.capacity, o.capacity_unit)
    is distinct from (n.min_fill_alert_percentage, n.capacity, n.capacity_unit)
  order by o.no
  on conflict do nothing;

  insert into reevaluations as r (tank_no, organization_no, settings_from, settings_to)
  select n.no, n.organization_no, now(), now()
  from old_rows o join new_rows n using (no)
  where (o.min_fill_alert_percentage, o.capacity, o.capacity_unit)
    is distinct from (n.min_fill_alert_percentage, n.capacity, n.capacity_unit)
    and exists (select from tank_states s where s.tank_no = n.no)
  order by n.no
  on conflict (tank_no) do update
  set settings_from = least(r.settings_from, excluded.settings_from), settings_to = excluded.settings_to;
  return null;
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
  update sign_ins set redeemed_at = now(), browser_sha256 = new_browser_sha256
  where no = sign_in_no and redeemed_at is null and expires_at > now()
  returning * into redeemed;
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
  waiting sign_ins[];
  found_no bigint;
begin
  perform set_config('lock_timeout', '2s', true);  -- as in redeem_sign_in
  waiting := array(
    select s from sign_ins s
    where browser_sha256 = of_browser_sha256 and redeemed_at is null and expires_at > now() and wrong_codes < 5
    order by no for update
  );
  if cardinality(waiting) = 0 then
    outcome := 'none';
    return;
  end if;
  if exists (
    select from sign_ins
    where address in (select address from unnest(waiting)) and created_at > now() - interval '1 day'
    group by address having sum(wrong_codes) >= 20
  ) then
    outcome := 'blocked';
    return;
  end if;
  select no into found_no from unnest(waiting) as w where w.code_sha256 = sha256(w.browser_sha256 || of_code_sha256) limit 1;
  if found_no is null then
    update sign_ins set wrong_codes = wrong_codes + 1 where no in (select no from unnest(waiting));
    outcome := 'wrong';
    codes_left := (select 4 - min(wrong_codes) from unnest(waiting));
    return;
  end if;
  perform redeem_sign_in(found_no, new_browser_sha256);
  outcome := 'redeemed';
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
-- Name: request_sign_in("text", "bytea", "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."request_sign_in"("of_address" "text", "of_browser_sha256" "bytea", "in_return_to" "text") RETURNS "void"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
declare
  folded text := lower(of_address collate "C");
  new_no bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('sign_in ' || folded, 0));
  if (select count(*) from sign_ins where address = folded and created_at > now() - interval '15 minutes') >= 3 then
    return;
  end if;
  insert into sign_ins (address, browser_sha256, return_to) values (folded, of_browser_sha256, in_return_to)
  returning no into new_no;
  -- Somebody waits for it, so it goes before other mails.
  perform graphile_worker.add_job('mail_sign_in', json_build_object('sign_in_no', new_no), max_attempts => 5, priority => -5);
end
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
              else least(used_at + interval '12 hours', created_at + interval '7 days') end
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
  select i.id, left(o.code, 2), o.name, i.customer_name
  from sign_ins s join sign_in_identities i using (address) join organizations o on o.no = i.organization_no
  where s.browser_sha256 = of_browser_sha256 and s.redeemed_at > now() - interval '15 minutes' and s.chosen_at is null
    and o.deleted_at is null
  order by i.customer_name is not null, o.name, i.customer_name, i.id
$$;

--
-- Name: sign_in_of_link("bytea"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."sign_in_of_link"("of_link_sha256" "bytea") RETURNS TABLE("organization_name" "text", "language" "text")
    LANGUAGE "sql" STABLE SECURITY DEFINER
    SET "search_path" TO 'public', 'pg_temp'
    AS $$
  select distinct o.name, o.language
  from sign_ins s join sign_in_identities i using (address) join organizations o on o.no = i.organization_no
  where s.link_sha256 = of_link_sha256 and s.redeemed_at is null and s.expires_at > now() and o.deleted_at is null
  order by o.name
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
-- Name: tank_search_text("text", "text", "text", "text", "text"); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION "public"."tank_search_text"("name" "text", "custom_id" "text", "device_id" "text", "city" "text", "postal_code" "text") RETURNS "text"
    LANGUAGE "sql" IMMUTABLE PARALLEL SAFE
    AS $$
  select public.fold_text(coalesce(name, '') || ' ' || coalesce(custom_id, '') || ' ' || coalesce(device_id, '') || ' '
    || coalesce(city, '') || ' ' || coalesce(postal_code, ''))
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
  origin timestamptz := packed_origin(range_from);
  month record;
  bucket record;
  part record;
  part_times int[];
  older int;
  newer int;
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
    select range_from as from_at, least(range_to, next_utc_month(range_from)) as to_at, skip,
           case when range_from = utc_month(range_from) and range_to >= next_utc_month(range_from) then month.n end as n
    into bucket;
  end if;

  if month.is_packed then
    for part in
      select p.starts_at, p.times from packed_telemetry p
      where p.tank_no = in_tank_no and p.starts_at >= utc_month(range_from) and p.starts_at < bucket.to_at
      order by p.starts_at desc
    loop
      part_times := part.times;
      older := width_bucket(packed_time(bucket.from_at, origin) - 1, part_times);
      newer := width_bucket(packed_time(bucket.to_at, origin) - 1, part_times);
      if bucket.skip < newer - older then
        return origin + (part_times[newer - bucket.skip] + 1) * interval '1 millisecond';
      end if;
      bucket.skip := bucket.skip - (newer - older);
    end loop;
  end if;

  -- From the nearer end, because each day on the way is a partition to look at. The number of readings is not known if a
  -- filter cuts the month.
  if bucket.skip > bucket.n / 2 then
    return (
      select created_at + interval '1 millisecond' from telemetry
      where tank_no = in_tank_no and created_at >= bucket.from_at and created_at < bucket.to_at
      order by created_at offset bucket.n - bucket.skip - 1 limit 1
    );
  end if;
  return (
    select created_at + interval '1 millisecond' from telemetry
    where tank_no = in_tank_no and created_at >= bucket.from_at and created_at < bucket.to_at
    order by created_at desc offset bucket.skip limit 1
  );
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
    insert into telemetry (tank_no, created_at, fill_percentage)
    select target.tank_no, r.created_at, r.fill_percentage
    from packed_readings(target.tank_no, target.starts_at, target.ends_at, 2147483647, false) as r
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
    CONSTRAINT "api_keys_scopes_check" CHECK ((("cardinality"("scopes") > 0) AND ("scopes" <@ ARRAY['read'::"text", 'ingest'::"text"]))),
    CONSTRAINT "api_keys_secret_sha256_check" CHECK (("octet_length"("secret_sha256") = 32))
);

--
-- Name: api_keys_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."api_keys" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."api_keys_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
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
    "object_nos" integer[] NOT NULL,
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
    NO MAXVALUE
    CACHE 1
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
    CONSTRAINT "change_epochs_is_only_check" CHECK ("is_only")
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
    CONSTRAINT "contacts_check" CHECK ((("digest_at" IS NULL) = ("digest_since" IS NULL))),
    CONSTRAINT "contacts_email_check" CHECK ((("length"("email") >= 1) AND ("length"("email") <= 320))),
    CONSTRAINT "deleted_contact_is_empty" CHECK ((("deleted_at" IS NULL) = ("email" IS NOT NULL)))
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
    "contacts"."has_console"
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
    NO MAXVALUE
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
    CONSTRAINT "customers_check" CHECK (("is_verified" OR ("verified_at" IS NULL))),
    CONSTRAINT "customers_email_check" CHECK ((("length"("email") >= 1) AND ("length"("email") <= 320))),
    CONSTRAINT "customers_external_key_check" CHECK (("external_key" <> ''::"text")),
    CONSTRAINT "customers_name_check" CHECK ((("length"("name") >= 1) AND ("length"("name") <= 500))),
    CONSTRAINT "customers_phone_check" CHECK ((("length"("phone") >= 1) AND ("length"("phone") <= 50))),
    CONSTRAINT "deleted_customer_is_empty" CHECK ((("deleted_at" IS NULL) OR ((COALESCE("email", "name", "phone", "external_key") IS NULL) AND (COALESCE("verified_at", "last_seen_at") IS NULL)))),
    CONSTRAINT "live_customer_is_complete" CHECK ((("deleted_at" IS NOT NULL) OR (("email" IS NOT NULL) AND ("name" IS NOT NULL))))
);

--
-- Name: customers_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."customers" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."customers_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
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
    NO MAXVALUE
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
-- Name: event_mails; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."event_mails" (
    "no" bigint NOT NULL,
    "event_no" bigint NOT NULL,
    "recipient" "text" NOT NULL,
    "recipient_no" integer NOT NULL,
    "kind" "text" NOT NULL,
    "sent_at" timestamp(3) with time zone DEFAULT "now"(),
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
    NO MAXVALUE
    CACHE 1
);

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
    CONSTRAINT "events_type_check" CHECK (("type" ~ '^tank\.[a-z_]+$'::"text"))
);

--
-- Name: events_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."events" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."events_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

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
    "refilled_on" "date" DEFAULT '-infinity'::"date" NOT NULL
)
WITH ("fillfactor"='80');

--
-- Name: organization_secrets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."organization_secrets" (
    "organization_no" integer NOT NULL,
    "sealed_device_secret" "text" NOT NULL,
    "sealed_link_secret" "text" NOT NULL
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
    CONSTRAINT "organizations_check" CHECK ((("erased_at" IS NULL) OR ("deleted_at" IS NOT NULL))),
    CONSTRAINT "organizations_code_check" CHECK (("code" ~ '^[a-z0-9]{3,16}$'::"text")),
    CONSTRAINT "organizations_language_check" CHECK (("language" ~ '^(en|es)(-([A-Z]{2}|[0-9]{3}))?$'::"text")),
    CONSTRAINT "organizations_name_check" CHECK (("name" <> ''::"text")),
    CONSTRAINT "organizations_phone_check" CHECK ((("length"("phone") >= 1) AND ("length"("phone") <= 50))),
    CONSTRAINT "organizations_readings_per_second_check" CHECK (("readings_per_second" > 0)),
    CONSTRAINT "organizations_reply_to_check" CHECK ((("length"("reply_to") >= 1) AND ("length"("reply_to") <= 320))),
    CONSTRAINT "organizations_telemetry_days_check" CHECK ((("telemetry_days" = 0) OR ("telemetry_days" >= 90))),
    CONSTRAINT "organizations_time_zone_check" CHECK ((("length"("time_zone") >= 1) AND ("length"("time_zone") <= 64)))
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
    "organizations"."reply_to"
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
    NO MAXVALUE
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
    "levels" smallint[] NOT NULL
)
PARTITION BY RANGE ("starts_at");
ALTER TABLE ONLY "public"."packed_telemetry" ALTER COLUMN "times" SET COMPRESSION lz4;
ALTER TABLE ONLY "public"."packed_telemetry" ALTER COLUMN "levels" SET COMPRESSION lz4;

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
    "waits_for_version" smallint
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
    NO MAXVALUE
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
    CONSTRAINT "removals_kind_check" CHECK (("kind" = ANY (ARRAY['organization'::"text", 'customer'::"text", 'tank'::"text", 'contact'::"text", 'console'::"text", 'key'::"text", 'device'::"text", 'webhook'::"text", 'unsubscribe'::"text"])))
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
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."sessions" (
    "no" integer NOT NULL,
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
    CONSTRAINT "session_has_holder" CHECK ((("num_nonnulls"("key_no", "contact_no") < 2) AND (COALESCE("key_no", "contact_no", "customer_no") IS NOT NULL) AND (("contact_no" IS NULL) OR ("customer_no" IS NULL)))),
    CONSTRAINT "sessions_secret_sha256_check" CHECK (("octet_length"("secret_sha256") = 32))
);

--
-- Name: session_credentials; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."session_credentials" AS
 SELECT COALESCE("sessions"."key_no", (- "sessions"."no")) AS "no",
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
-- Name: sessions_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."sessions" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."sessions_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
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
  WHERE ("c"."has_console" AND ("c"."deleted_at" IS NULL));

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
    NO MAXVALUE
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

--
-- Name: tank_settings; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW "public"."tank_settings" AS
 SELECT "tanks"."no" AS "tank_no",
    "tanks"."id" AS "tank_id",
    "tanks"."organization_no",
    "tanks"."capacity",
    "tanks"."capacity_unit",
    ("tanks"."deleted_at" IS NOT NULL) AS "is_deleted",
    "tanks"."min_fill_alert_percentage",
    "tanks"."settings_changed_at"
   FROM "public"."tanks";

--
-- Name: tank_settings_history; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."tank_settings_history" (
    "tank_no" integer NOT NULL,
    "at" timestamp(3) with time zone NOT NULL,
    "min_fill_alert_percentage" smallint NOT NULL,
    "capacity" double precision NOT NULL,
    "capacity_unit" "text" NOT NULL
);

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
-- Name: tanks_no_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE "public"."tanks" ALTER COLUMN "no" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."tanks_no_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: telemetry; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
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
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_02; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_02" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_03; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_03" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_04; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_04" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_05; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_05" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_06; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_06" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_07; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_07" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_08; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_08" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_09; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_09" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_10; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_10" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_11; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_11" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_12; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_12" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_13; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_13" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_14; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_14" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_15; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_15" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_16; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_16" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_17; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_17" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_18; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_18" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_19; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_19" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_20; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_20" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_21; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_21" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_22; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_22" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_23; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_23" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_24; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_24" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_25; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_25" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_26; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_26" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_27; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_27" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_28; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_28" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_29; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_29" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
    CONSTRAINT "telemetry_fill_percentage_check" CHECK ((("fill_percentage" >= (0)::double precision) AND ("fill_percentage" <= (100)::double precision)))
);

--
-- Name: telemetry_2026_11_30; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."telemetry_2026_11_30" (
    "tank_no" integer NOT NULL,
    "fill_percentage" real NOT NULL,
    "created_at" timestamp(3) with time zone NOT NULL,
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
WITH ("fillfactor"='70');

--
-- Name: webhook_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE "public"."webhook_deliveries" (
    "no" bigint NOT NULL,
    "endpoint_no" integer NOT NULL,
    "event_no" bigint NOT NULL,
    "status" "text" DEFAULT 'pending'::"text" NOT NULL,
    "tries" smallint DEFAULT 0 NOT NULL,
    "attempts" "jsonb" DEFAULT '[]'::"jsonb" NOT NULL,
    "next_attempt_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "created_at" timestamp(3) with time zone DEFAULT "now"() NOT NULL,
    "finished_at" timestamp(3) with time zone,
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
    NO MAXVALUE
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
    NO MAXVALUE
    CACHE 1
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

INSERT INTO "graphile_worker"."migrations" VALUES (1, '2026-11-15 22:53:15.071371+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (2, '2026-11-15 22:53:15.109499+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (3, '2026-11-15 22:53:15.120852+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (4, '2026-11-15 22:53:15.126642+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (5, '2026-11-15 22:53:15.131228+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (6, '2026-11-15 22:53:15.136368+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (7, '2026-11-15 22:53:15.145528+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (8, '2026-11-15 22:53:15.150324+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (9, '2026-11-15 22:53:15.162266+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (10, '2026-11-15 22:53:15.167621+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (11, '2026-11-15 22:53:15.170449+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (12, '2026-11-15 22:53:15.260889+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (13, '2026-11-15 22:53:15.278329+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (14, '2026-11-15 22:53:15.283283+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (15, '2026-11-15 22:53:15.287093+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (16, '2026-11-15 22:53:15.290084+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (17, '2026-11-15 22:53:15.296159+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (18, '2026-11-15 22:53:15.30207+00', false);
INSERT INTO "graphile_worker"."migrations" VALUES (19, '2026-11-15 22:53:15.307339+00', true);
INSERT INTO "graphile_worker"."migrations" VALUES (20, '2026-11-15 22:53:15.309847+00', false);

--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: audit_log; Type: TABLE DATA; Schema: public; Owner: -
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

INSERT INTO "public"."change_epochs" VALUES (true, 0);

--
-- Data for Name: contacts; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: counter_check; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO "public"."counter_check" VALUES (true, '2026-11-15 22:53:14.655+00', '2026-11-15 22:53:14.655+00', 0, 0, 0, NULL, NULL, NULL, 0, NULL);

--
-- Data for Name: customers; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: device_assignments; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: device_credentials; Type: TABLE DATA; Schema: public; Owner: -
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
-- Data for Name: event_mails; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: fleet_levels; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: fleet_tanks; Type: TABLE DATA; Schema: public; Owner: -
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
-- Data for Name: reevaluations; Type: TABLE DATA; Schema: public; Owner: -
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
-- Data for Name: schema_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO "public"."schema_migrations" VALUES ('0001_roles.sql', '16c6ef8c0717d4f0659c8f7a3504aef5ee163677d4f6d121764c999e8ad02c3c', '2026-11-15 22:53:14.127+00');
INSERT INTO "public"."schema_migrations" VALUES ('0002_catalog.sql', 'f2f5883096e54a7bedd3ded94e506047dcdef72a5d6e25b56aa48fc4316514e0', '2026-11-15 22:53:14.136+00');
INSERT INTO "public"."schema_migrations" VALUES ('0003_catalog_counters.sql', 'f05c3cf291d1a5d1d0c85f4c5b4deea6e1e5262cb70cc32b84c6617a453e10f1', '2026-11-15 22:53:14.204+00');
INSERT INTO "public"."schema_migrations" VALUES ('0004_keys_and_devices.sql', '9f51c0ca390e25eb38420ab4d72009965de98e37072e74a688e00e83aab7dd3d', '2026-11-15 22:53:14.22+00');
INSERT INTO "public"."schema_migrations" VALUES ('0005_telemetry.sql', '2df1899203ace4bc814f8a1078c3449e7e3818d24b6149964af928e7bba2bb82', '2026-11-15 22:53:14.276+00');
INSERT INTO "public"."schema_migrations" VALUES ('0006_telemetry_reads.sql', 'baab13b504a23e8b721bad8442489bb100bc5e9957faedf7ea80472ac41400c8', '2026-11-15 22:53:14.322+00');
INSERT INTO "public"."schema_migrations" VALUES ('0007_packing.sql', 'cc9f876bc1d5c56e38c66cc5efa6b34710c6c3fe06ca3b7fd9c9210d22160fec', '2026-11-15 22:53:14.327+00');
INSERT INTO "public"."schema_migrations" VALUES ('0008_evaluation.sql', 'bf3a17f605af7f1eee71b6a5b3b94279383b39d85bb8f845e5364fb61500d530', '2026-11-15 22:53:14.333+00');
INSERT INTO "public"."schema_migrations" VALUES ('0009_notifications.sql', '837726686944083860e069c629f3325c4eb54e7bb5051ed02c5ad943fc8aebfd', '2026-11-15 22:53:14.402+00');
INSERT INTO "public"."schema_migrations" VALUES ('0010_audit.sql', '7b7d353477695e728048aa7aae69defdbdce9cdc8959448198f132123655b315', '2026-11-15 22:53:14.625+00');
INSERT INTO "public"."schema_migrations" VALUES ('0011_grants.sql', 'dba2c88e16a46527b87d8803bc028ca2f9ef3effbb7be8eb65948fb5c6625b65', '2026-11-15 22:53:14.647+00');
INSERT INTO "public"."schema_migrations" VALUES ('0012_erasure_and_retention.sql', 'a9b543f94b2ce35cd4fb8bea43ac1b097cc7a0f66e3f93d1798cdad5c9de2352', '2026-11-15 22:53:14.655+00');
INSERT INTO "public"."schema_migrations" VALUES ('0013_fleet.sql', 'dac7a096e95367ad06a50eb88fbf676702af670ce34e0a69e71be7149ee6645d', '2026-11-15 22:53:14.73+00');
INSERT INTO "public"."schema_migrations" VALUES ('0014_sessions.sql', '43de9b94c8c2c8deff7d0126e4eaf98e7a11bda7c48103e8c884febd205b3983', '2026-11-15 22:53:14.839+00');

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
-- Data for Name: tank_settings_history; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: tank_states; Type: TABLE DATA; Schema: public; Owner: -
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
-- Data for Name: telemetry_month_counters; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: webhook_deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: webhook_endpoints; Type: TABLE DATA; Schema: public; Owner: -
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
-- Name: api_keys_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."api_keys_no_seq"', 1, false);

--
-- Name: audit_log_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."audit_log_no_seq"', 1, false);

--
-- Name: contacts_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."contacts_no_seq"', 1, false);

--
-- Name: customers_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."customers_no_seq"', 1, false);

--
-- Name: device_credentials_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."device_credentials_no_seq"', 1, false);

--
-- Name: event_mails_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."event_mails_no_seq"', 1, false);

--
-- Name: events_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."events_no_seq"', 1, false);

--
-- Name: organizations_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."organizations_no_seq"', 1, false);

--
-- Name: rejected_readings_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."rejected_readings_no_seq"', 1, false);

--
-- Name: sessions_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."sessions_no_seq"', 1, false);

--
-- Name: sign_ins_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."sign_ins_no_seq"', 1, false);

--
-- Name: tanks_no_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('"public"."tanks_no_seq"', 1, false);

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
-- Name: reevaluations reevaluations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."reevaluations"
    ADD CONSTRAINT "reevaluations_pkey" PRIMARY KEY ("tank_no");

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
-- Name: schema_migrations schema_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."schema_migrations"
    ADD CONSTRAINT "schema_migrations_pkey" PRIMARY KEY ("name");

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
-- Name: jobs_main_index; Type: INDEX; Schema: graphile_worker; Owner: -
--

CREATE INDEX "jobs_main_index" ON "graphile_worker"."_private_jobs" USING "btree" ("priority", "run_at") INCLUDE ("id", "task_id", "job_queue_id") WHERE ("is_available" = true);

--
-- Name: jobs_no_queue_index; Type: INDEX; Schema: graphile_worker; Owner: -
--

CREATE INDEX "jobs_no_queue_index" ON "graphile_worker"."_private_jobs" USING "btree" ("priority", "run_at") INCLUDE ("id", "task_id") WHERE (("is_available" = true) AND ("job_queue_id" IS NULL));

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
-- Name: console_contacts_by_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "console_contacts_by_address" ON "public"."contacts" USING "btree" ("lower"(("email" COLLATE "C"))) WHERE ("has_console" AND ("deleted_at" IS NULL));

--
-- Name: customers_by_email; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "customers_by_email" ON "public"."customers" USING "btree" ("organization_no", "email", "created_at", "no") WHERE ("deleted_at" IS NULL);

--
-- Name: customers_by_text; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "customers_by_text" ON "public"."customers" USING "gin" ("organization_no", "public"."customer_search_text"("name", "email", "phone", "external_key") "extensions"."gin_trgm_ops") WHERE ("deleted_at" IS NULL);

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
-- Name: device_credentials_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "device_credentials_by_change" ON "public"."device_credentials" USING "btree" ("changed_xid");

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
-- Name: fleet_tanks_unreliable; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "fleet_tanks_unreliable" ON "public"."fleet_tanks" USING "btree" ("organization_no", "threshold_on", "empty_on", "tank_no") WHERE "is_gauge_unreliable";

--
-- Name: one_alert_per_recipient; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_alert_per_recipient" ON "public"."event_mails" USING "btree" ("event_no", "recipient", "recipient_no") WHERE ("kind" = 'alert'::"text");

--
-- Name: one_open_assignment_per_tank; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "one_open_assignment_per_tank" ON "public"."device_assignments" USING "btree" ("tank_no") WHERE ("to_at" = 'infinity'::timestamp with time zone);

--
-- Name: plain_telemetry_months; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "plain_telemetry_months" ON "public"."telemetry_month_counters" USING "btree" ("month", "tank_no") WHERE (NOT "is_packed");

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
-- Name: tank_states_by_timer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tank_states_by_timer" ON "public"."tank_states" USING "btree" ("timer_at", "tank_no") WHERE ("timer_at" IS NOT NULL);

--
-- Name: tanks_by_place; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tanks_by_place" ON "public"."tanks" USING "btree" ("organization_no", "latitude", "longitude", "no") WHERE (("deleted_at" IS NULL) AND ("latitude" IS NOT NULL) AND ("longitude" IS NOT NULL));

--
-- Name: tanks_by_text; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tanks_by_text" ON "public"."tanks" USING "gin" ("organization_no", "public"."tank_search_text"("name", "custom_id", "assigned_device_id", "city", "postal_code") "extensions"."gin_trgm_ops") WHERE ("deleted_at" IS NULL);

--
-- Name: tanks_custom_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "tanks_custom_id" ON "public"."tanks" USING "btree" ("owner_no", "custom_id");

--
-- Name: tanks_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tanks_in_order" ON "public"."tanks" USING "btree" ("organization_no", "created_at", "no") WHERE ("deleted_at" IS NULL);

--
-- Name: tanks_of_owner_in_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "tanks_of_owner_in_order" ON "public"."tanks" USING "btree" ("owner_no", "created_at", "no") WHERE ("deleted_at" IS NULL);

--
-- Name: verified_customers_by_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "verified_customers_by_address" ON "public"."customers" USING "btree" ("lower"(("email" COLLATE "C"))) WHERE ("is_verified" AND ("deleted_at" IS NULL));

--
-- Name: webhook_deliveries_by_end; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "webhook_deliveries_by_end" ON "public"."webhook_deliveries" USING "btree" ("finished_at") WHERE ("finished_at" IS NOT NULL);

--
-- Name: webhook_deliveries_by_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "webhook_deliveries_by_event" ON "public"."webhook_deliveries" USING "btree" ("event_no");

--
-- Name: webhook_deliveries_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "webhook_deliveries_due" ON "public"."webhook_deliveries" USING "btree" ("endpoint_no", "next_attempt_at") WHERE ("status" = 'pending'::"text");

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
-- Name: tanks add_fleet_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "add_fleet_tanks" AFTER INSERT ON "public"."tanks" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."add_fleet_tanks"();

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
-- Name: webhook_endpoints audit_changed_endpoints; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_endpoints" AFTER UPDATE ON "public"."webhook_endpoints" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('webhook', 'organization_no');

--
-- Name: api_keys audit_changed_keys; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_keys" AFTER UPDATE ON "public"."api_keys" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('key', 'organization_no');

--
-- Name: organizations audit_changed_organizations; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_organizations" AFTER UPDATE ON "public"."organizations" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('organization', 'no');

--
-- Name: tanks audit_changed_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_changed_tanks" AFTER UPDATE ON "public"."tanks" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_update"('tank', 'organization_no');

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
-- Name: webhook_endpoints audit_new_endpoints; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_endpoints" AFTER INSERT ON "public"."webhook_endpoints" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('webhook', 'organization_no');

--
-- Name: api_keys audit_new_keys; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_keys" AFTER INSERT ON "public"."api_keys" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('key', 'organization_no');

--
-- Name: organizations audit_new_organizations; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_organizations" AFTER INSERT ON "public"."organizations" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('organization', 'no');

--
-- Name: tanks audit_new_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "audit_new_tanks" AFTER INSERT ON "public"."tanks" REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."audit_creation"('tank', 'organization_no');

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
-- Name: customers erase_customer; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_customer" AFTER UPDATE ON "public"."customers" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_customer"();

--
-- Name: tanks erase_tank; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "erase_tank" AFTER UPDATE ON "public"."tanks" FOR EACH ROW WHEN ((("old"."deleted_at" IS NULL) AND ("new"."deleted_at" IS NOT NULL))) EXECUTE FUNCTION "public"."erase_tank"();

--
-- Name: tanks follow_changed_tanks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "follow_changed_tanks" AFTER UPDATE ON "public"."tanks" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "public"."follow_changed_tanks"();

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
-- Name: contacts record_removed_contact; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_removed_contact" AFTER UPDATE ON "public"."contacts" FOR EACH ROW WHEN (("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at")) EXECUTE FUNCTION "public"."record_removal"('contact', 'id');

--
-- Name: customers record_removed_customer; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_removed_customer" AFTER UPDATE ON "public"."customers" FOR EACH ROW WHEN (("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at")) EXECUTE FUNCTION "public"."record_removal"('customer', 'id');

--
-- Name: tanks record_removed_tank; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "record_removed_tank" AFTER UPDATE ON "public"."tanks" FOR EACH ROW WHEN (("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at")) EXECUTE FUNCTION "public"."record_removal"('tank', 'id');

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
-- Name: customers set_customer_updated_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "set_customer_updated_at" BEFORE UPDATE ON "public"."customers" FOR EACH ROW WHEN (((((((("old"."email" IS DISTINCT FROM "new"."email") OR ("old"."is_verified" IS DISTINCT FROM "new"."is_verified")) OR ("old"."name" IS DISTINCT FROM "new"."name")) OR ("old"."phone" IS DISTINCT FROM "new"."phone")) OR ("old"."verified_at" IS DISTINCT FROM "new"."verified_at")) OR ("old"."created_at" IS DISTINCT FROM "new"."created_at")) OR ("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at"))) EXECUTE FUNCTION "public"."set_updated_at"();

--
-- Name: tanks set_settings_changed_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "set_settings_changed_at" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN (((("old"."min_fill_alert_percentage" IS DISTINCT FROM "new"."min_fill_alert_percentage") OR ("old"."capacity" IS DISTINCT FROM "new"."capacity")) OR ("old"."capacity_unit" IS DISTINCT FROM "new"."capacity_unit"))) EXECUTE FUNCTION "public"."set_settings_changed_at"();

--
-- Name: tanks set_tank_updated_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "set_tank_updated_at" BEFORE UPDATE ON "public"."tanks" FOR EACH ROW WHEN (((((((((((((((((((("old"."owner_no" IS DISTINCT FROM "new"."owner_no") OR ("old"."assigned_device_id" IS DISTINCT FROM "new"."assigned_device_id")) OR ("old"."capacity" IS DISTINCT FROM "new"."capacity")) OR ("old"."capacity_unit" IS DISTINCT FROM "new"."capacity_unit")) OR ("old"."custom_id" IS DISTINCT FROM "new"."custom_id")) OR ("old"."min_fill_alert_percentage" IS DISTINCT FROM "new"."min_fill_alert_percentage")) OR ("old"."name" IS DISTINCT FROM "new"."name")) OR ("old"."use_case" IS DISTINCT FROM "new"."use_case")) OR ("old"."created_at" IS DISTINCT FROM "new"."created_at")) OR ("old"."deleted_at" IS DISTINCT FROM "new"."deleted_at")) OR ("old"."city" IS DISTINCT FROM "new"."city")) OR ("old"."country" IS DISTINCT FROM "new"."country")) OR ("old"."district" IS DISTINCT FROM "new"."district")) OR ("old"."latitude" IS DISTINCT FROM "new"."latitude")) OR ("old"."longitude" IS DISTINCT FROM "new"."longitude")) OR ("old"."postal_code" IS DISTINCT FROM "new"."postal_code")) OR ("old"."region" IS DISTINCT FROM "new"."region")) OR ("old"."street" IS DISTINCT FROM "new"."street")) OR ("old"."street_number" IS DISTINCT FROM "new"."street_number"))) EXECUTE FUNCTION "public"."set_updated_at"();

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
-- Name: event_mails event_mails_event_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."event_mails"
    ADD CONSTRAINT "event_mails_event_no_fkey" FOREIGN KEY ("event_no") REFERENCES "public"."events"("no");

--
-- Name: organization_secrets organization_secrets_organization_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."organization_secrets"
    ADD CONSTRAINT "organization_secrets_organization_no_fkey" FOREIGN KEY ("organization_no") REFERENCES "public"."organizations"("no");

--
-- Name: reminder_unsubscribes reminder_unsubscribes_customer_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."reminder_unsubscribes"
    ADD CONSTRAINT "reminder_unsubscribes_customer_no_fkey" FOREIGN KEY ("customer_no") REFERENCES "public"."customers"("no");

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
-- Name: tanks tanks_organization_no_owner_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY "public"."tanks"
    ADD CONSTRAINT "tanks_organization_no_owner_no_fkey" FOREIGN KEY ("organization_no", "owner_no") REFERENCES "public"."customers"("organization_no", "no");

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

--
-- Name: TABLE "_private_jobs"; Type: ACL; Schema: graphile_worker; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "graphile_worker"."_private_jobs" TO "tankwatch_worker";

--
-- Name: FUNCTION "begin_sign_in_mail"("sign_in_no" bigint, "new_link_sha256" "bytea", "new_code_sha256" "bytea"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."begin_sign_in_mail"("sign_in_no" bigint, "new_link_sha256" "bytea", "new_code_sha256" "bytea") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."begin_sign_in_mail"("sign_in_no" bigint, "new_link_sha256" "bytea", "new_code_sha256" "bytea") TO "tankwatch_worker";

--
-- Name: FUNCTION "choose_sign_in"("of_browser_sha256" "bytea", "chosen_id" "uuid", "new_prefix" "text", "new_secret_sha256" "bytea"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."choose_sign_in"("of_browser_sha256" "bytea", "chosen_id" "uuid", "new_prefix" "text", "new_secret_sha256" "bytea") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."choose_sign_in"("of_browser_sha256" "bytea", "chosen_id" "uuid", "new_prefix" "text", "new_secret_sha256" "bytea") TO "tankwatch_api";

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
-- Name: FUNCTION "is_month_in_use"("in_month" timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."is_month_in_use"("in_month" timestamp with time zone) FROM PUBLIC;

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
-- Name: FUNCTION "lock_expired_telemetry"("organization" integer, "before" timestamp with time zone, "after_no" integer, "max_tanks" integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."lock_expired_telemetry"("organization" integer, "before" timestamp with time zone, "after_no" integer, "max_tanks" integer) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."lock_expired_telemetry"("organization" integer, "before" timestamp with time zone, "after_no" integer, "max_tanks" integer) TO "tankwatch_worker";

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
-- Name: FUNCTION "record_command"("in_organization_no" integer, "in_object" "text", "in_action" "text", "in_fields" "text"[], "in_object_nos" integer[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."record_command"("in_organization_no" integer, "in_object" "text", "in_action" "text", "in_fields" "text"[], "in_object_nos" integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."record_command"("in_organization_no" integer, "in_object" "text", "in_action" "text", "in_fields" "text"[], "in_object_nos" integer[]) TO "tankwatch_operator";

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
-- Name: FUNCTION "request_sign_in"("of_address" "text", "of_browser_sha256" "bytea", "in_return_to" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."request_sign_in"("of_address" "text", "of_browser_sha256" "bytea", "in_return_to" "text") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."request_sign_in"("of_address" "text", "of_browser_sha256" "bytea", "in_return_to" "text") TO "tankwatch_api";

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
-- Name: FUNCTION "verify_customer_of_link"("customer_id" "uuid", "address" "text"); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION "public"."verify_customer_of_link"("customer_id" "uuid", "address" "text") FROM PUBLIC;
GRANT ALL ON FUNCTION "public"."verify_customer_of_link"("customer_id" "uuid", "address" "text") TO "tankwatch_api";

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

GRANT SELECT ON TABLE "public"."change_epochs" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."change_epochs" TO "tankwatch_api";
GRANT SELECT,UPDATE ON TABLE "public"."change_epochs" TO "tankwatch_operator";

--
-- Name: TABLE "contacts"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."contacts" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."contacts" TO "tankwatch_operator";

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
-- Name: TABLE "customers"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."customers" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."customers" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."customers" TO "tankwatch_operator";

--
-- Name: TABLE "device_assignments"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."device_assignments" TO "tankwatch_writer";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."device_assignments" TO "tankwatch_operator";

--
-- Name: TABLE "device_credentials"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."device_credentials" TO "tankwatch_operator";

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

--
-- Name: TABLE "digests"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."digests" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."digests" TO "tankwatch_operator";

--
-- Name: TABLE "event_mails"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."event_mails" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."event_mails" TO "tankwatch_operator";

--
-- Name: TABLE "events"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."events" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."events" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."events" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."events" TO "tankwatch_api";

--
-- Name: TABLE "fleet_levels"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."fleet_levels" TO "tankwatch_api";
GRANT SELECT,UPDATE ON TABLE "public"."fleet_levels" TO "tankwatch_writer";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."fleet_levels" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."fleet_levels" TO "tankwatch_worker";

--
-- Name: TABLE "fleet_tanks"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."fleet_tanks" TO "tankwatch_api";
GRANT SELECT,UPDATE ON TABLE "public"."fleet_tanks" TO "tankwatch_writer";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."fleet_tanks" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."fleet_tanks" TO "tankwatch_worker";

--
-- Name: TABLE "organization_secrets"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE "public"."organization_secrets" TO "tankwatch_operator";

--
-- Name: COLUMN "organization_secrets"."organization_no"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("organization_no") ON TABLE "public"."organization_secrets" TO "tankwatch_gateway";
GRANT SELECT("organization_no") ON TABLE "public"."organization_secrets" TO "tankwatch_worker";

--
-- Name: COLUMN "organization_secrets"."sealed_device_secret"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("sealed_device_secret") ON TABLE "public"."organization_secrets" TO "tankwatch_gateway";

--
-- Name: COLUMN "organization_secrets"."sealed_link_secret"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("sealed_link_secret") ON TABLE "public"."organization_secrets" TO "tankwatch_worker";

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

--
-- Name: COLUMN "organizations"."time_zone"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT("time_zone") ON TABLE "public"."organizations" TO "tankwatch_api";

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

--
-- Name: TABLE "reevaluations"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."reevaluations" TO "tankwatch_writer";
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE "public"."reevaluations" TO "tankwatch_operator";

--
-- Name: TABLE "rejected_readings"; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT ON TABLE "public"."rejected_readings" TO "tankwatch_writer";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."rejected_readings" TO "tankwatch_operator";

--
-- Name: TABLE "reminder_unsubscribes"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."reminder_unsubscribes" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."reminder_unsubscribes" TO "tankwatch_operator";

--
-- Name: TABLE "removals"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."removals" TO "tankwatch_worker";
GRANT SELECT ON TABLE "public"."removals" TO "tankwatch_operator";

--
-- Name: TABLE "schema_migrations"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."schema_migrations" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."schema_migrations" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."schema_migrations" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."schema_migrations" TO "tankwatch_worker";

--
-- Name: TABLE "session_credentials"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."session_credentials" TO "tankwatch_api";

--
-- Name: TABLE "sign_in_identities"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."sign_in_identities" TO "tankwatch_worker";

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
-- Name: TABLE "tanks"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."tanks" TO "tankwatch_api";
GRANT SELECT ON TABLE "public"."tanks" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."tanks" TO "tankwatch_operator";

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
-- Name: TABLE "tank_states"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."tank_states" TO "tankwatch_writer";
GRANT SELECT ON TABLE "public"."tank_states" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."tank_states" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."tank_states" TO "tankwatch_api";

--
-- Name: TABLE "telemetry"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."telemetry" TO "tankwatch_api";
GRANT SELECT,INSERT ON TABLE "public"."telemetry" TO "tankwatch_writer";
GRANT SELECT,INSERT ON TABLE "public"."telemetry" TO "tankwatch_operator";
GRANT SELECT ON TABLE "public"."telemetry" TO "tankwatch_worker";

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

--
-- Name: TABLE "webhook_deliveries"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE "public"."webhook_deliveries" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."webhook_deliveries" TO "tankwatch_operator";

--
-- Name: TABLE "webhook_endpoints"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE "public"."webhook_endpoints" TO "tankwatch_worker";
GRANT SELECT,INSERT,UPDATE ON TABLE "public"."webhook_endpoints" TO "tankwatch_operator";

--
-- Name: TABLE "webhook_settings"; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE "public"."webhook_settings" TO "tankwatch_api";

--
-- PostgreSQL database dump complete
--

