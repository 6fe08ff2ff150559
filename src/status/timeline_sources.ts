import { isoTimeSql } from '../db/iso_time.ts';
import { IS_CAUSED_BY_READINGS_SQL } from '../evaluation/pure/alerts/event_types.ts';
import { litersPerUnitSql } from '../values/capacity_unit.ts';
import { FALSE_ALARM_STEP } from '../values/false_alarm_step.ts';
import { MAX_PINNED_MATCH_HOURS } from '../values/match_hours.ts';
import { actorNameSql } from './actor_name.ts';

/** The kinds of entries of a timeline. */
export const TIMELINE_KINDS = ['level', 'event', 'mail', 'text', 'act', 'delivery', 'note'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** The kinds that owners see. They see no mails, texts, acts or notes of the people of the organization. */
export const OWNER_KINDS: readonly TimelineKind[] = ['level', 'event', 'delivery'];

const nameOf = (actor: string): string => actorNameSql(actor, '$2::int');
const inUnit = (liters: string, unit: string): string => `${liters} / ${litersPerUnitSql(unit)}`;

const LATEST = `s.tank_no = $1 and s.latest_at > '-infinity'`;
const REFILLS = `from events e
  where e.tank_no = $1 and e.type = 'tank.refilled' and e.retracted_at is null and jsonb_array_length(e.readings) > 1`;

/** The latest level, with the time since when no level was lower, and the level before each refill. */
const LEVELS = `
  select s.latest_at as at, 'level' as key, json_build_object(
      'fill_percentage', s.latest_fill_percentage, 'milestone', 'latest',
      'lowest_since', case when low.lowest_fill >= s.latest_fill_percentage then ${isoTimeSql('refill.occurred_at')} end
    ) as data
  from tank_states s
  left join lateral (
    select e.occurred_at from events e
    where e.tank_no = $1 and e.type = 'tank.refilled' and e.retracted_at is null and e.occurred_at < s.latest_at
    order by e.occurred_at desc limit 1
  ) as refill on true
  left join lateral (
    select x.lowest_fill from telemetry_series($1, refill.occurred_at, s.latest_at - refill.occurred_at + interval '1 second', 1) as x
    where refill.occurred_at is not null
  ) as low on true
  where ${LATEST}
  union all
  select (e.readings -> 0 ->> 'created_at')::timestamptz, 'level ' || e.no, json_build_object(
      'fill_percentage', e.readings -> 0 -> 'fill_percentage', 'milestone', 'before_refill', 'lowest_since', null)
  ${REFILLS}`;

/** The events that readings caused. A refill and the end of an alert at the same time are one entry. */
const EVENTS = `
  select e.occurred_at as at, 'event ' || e.no as key, json_build_object(
      'id', e.id, 'type', e.type, 'occurred_at', ${isoTimeSql('e.occurred_at')}, 'recorded_at', ${isoTimeSql('e.recorded_at')},
      'retracted_at', ${isoTimeSql('e.retracted_at')},
      'retracted_because', case when e.retracted_at is not null then coalesce(e.retracted_because, 'late_readings') end,
      'data', e.data, 'readings', e.readings,
      'ends_alert', e.type = 'tank.refilled' and exists (
        select from events r where r.tank_no = $1 and r.type = 'tank.fill_recovered' and r.occurred_at = e.occurred_at
          and r.retracted_at is not distinct from e.retracted_at)
    ) as data
  from events e
  where e.tank_no = $1 and ${IS_CAUSED_BY_READINGS_SQL}
    and (e.retracted_at is null or e.notify or e.retracted_because is not null)
    and not (e.type = 'tank.fill_recovered' and exists (
      select from events r where r.tank_no = $1 and r.type = 'tank.refilled' and r.occurred_at = e.occurred_at
        and r.retracted_at is not distinct from e.retracted_at))`;

/** Each event has one entry for the mails to contacts and one for the mails to the owner. Each reminder has its own entry. */
const MAILS = `
  select min(m.at) as at, concat_ws(' ', 'mail', m.event_no, m.kind, m.recipient, m.reminder_no) as key, json_build_object(
      'kind', m.kind, 'event_id', m.event_id, 'event_type', m.event_type,
      'to', json_agg(json_build_object('name', m.name, 'is_owner', m.recipient = 'customer', 'failed_because', m.because)
                     order by m.at, m.recipient_no)
    ) as data
  from (
    select e.id as event_id, e.type as event_type, s.*, case s.recipient
        when 'contact' then (
          select coalesce(c.name, c.email) from contact_settings c where c.organization_no = $2 and c.no = s.recipient_no)
        else (select c.name from customers c where c.organization_no = $2 and c.no = s.recipient_no) end as name
    from events e
    cross join lateral (
      select m.event_no, m.kind, m.recipient, m.recipient_no, m.sent_at as at, null as because,
             case when m.kind = 'reminder' then m.no end as reminder_no
      from event_mails m where m.event_no = e.no and m.sent_at is not null
      union all
      select m.event_no, 'retraction', m.recipient, m.recipient_no, m.retraction_sent_at, null, null
      from event_mails m where m.event_no = e.no and m.retraction_sent_at is not null
      union all
      select f.event_no, f.kind, f.recipient, f.recipient_no, f.failed_at, f.because, case when f.kind = 'reminder' then -f.no end
      from failed_mails f where f.event_no = e.no
    ) as s
    where e.tank_no = $1
  ) as m
  group by m.event_no, m.event_id, m.event_type, m.kind, m.recipient, m.reminder_no`;

/** Each step that sent texts has one entry. A canceled text was not sent. */
const TEXTS = `
  select min(t.created_at) as at, concat_ws(' ', 'text', t.escalation_no, t.step) as key, json_build_object(
      'event_id', e.id, 'event_type', e.type, 'is_false_alarm', t.step = ${FALSE_ALARM_STEP},
      'to', json_agg(json_build_object('name', (
          select coalesce(c.name, c.email) from contact_settings c where c.organization_no = $2 and c.no = t.contact_no),
        'status', t.status, 'error', t.error) order by t.no)
    ) as data
  from events e join escalations x on x.event_no = e.no join texts t on t.escalation_no = x.no
  where e.tank_no = $1 and e.type in ('tank.rapid_loss', 'tank.low_fill') and t.status <> 'canceled'
  group by t.escalation_no, t.step, e.id, e.type`;

/** Open and closed assignments are selected separately, because each has its own index by tank. */
const ASSIGNMENTS = `
  select *, lag(device_id) over (order by to_at) as former_id, lag(to_at) over (order by to_at) as former_to_at
  from (
    select device_id, from_at, to_at, assigned_at, assigned_by from device_assignments where tank_no = $1 and to_at = 'infinity'
    union all
    select device_id, from_at, to_at, assigned_at, assigned_by from device_assignments where tank_no = $1 and to_at < 'infinity'
  ) as a`;

/** The comment that the driver, or the office for the driver, wrote at the stop of this tank nearest in time to a delivery. */
const commentNear = (at: string): string => `(
  select w.comment from round_stops s join round_stop_words w on w.stop_no = s.no
  where s.tank_no = $1 and s.said = 'delivered' and w.comment is not null
    and s.said_at between ${at} - interval '${MAX_PINNED_MATCH_HOURS} hours' and ${at} + interval '${MAX_PINNED_MATCH_HOURS} hours'
  order by abs(extract(epoch from s.said_at - ${at})) limit 1)`;

/** The actions of people, and the ends of what they began. A stop with a delivery note is not here, because it is a delivery. */
const ACTS = `
  select a.created_at as at, 'act handling ' || a.no as key, json_build_object('type', 'handling_began', 'name', ${nameOf('a.acknowledged_by')},
      'condition', a.condition, 'until', ${isoTimeSql('a.until')}, 'comment', a.comment) as data
  from acknowledgements a where a.tank_no = $1
  union all
  select a.ended_at, 'act handling end ' || a.no, json_build_object('type', 'handling_ended', 'condition', a.condition, 'because', a.ended_because)
  from acknowledgements a where a.tank_no = $1 and a.ended_because in ('new_event', 'worse', 'expired', 'withdrawn')
  union all
  select m.created_at, 'act mute ' || m.no, json_build_object('type', 'mute_began', 'name', ${nameOf('m.muted_by')},
      'until', ${isoTimeSql('m.until')}, 'comment', m.reason)
  from mutes m where m.tank_no = $1
  union all
  select m.ended_at, 'act mute end ' || m.no, json_build_object('type', 'mute_ended', 'because', m.ended_because)
  from mutes m where m.tank_no = $1 and m.ended_at is not null
  union all
  select coalesce(a.assigned_at, nullif(a.from_at, '-infinity'), a.former_to_at, (select created_at from tanks where no = $1)),
      'act device ' || a.device_id || ' ' || a.from_at, json_build_object('type', 'device_assigned', 'name', ${nameOf('a.assigned_by')},
      'device_id', a.device_id, 'former_device_id', case when a.former_id not like 'pending-%' then a.former_id end)
  from (${ASSIGNMENTS}) as a where a.device_id not like 'pending-%' and not is_manual_device(a.device_id)
  union all
  select h.at, 'act threshold ' || h.at, json_build_object('type', 'threshold_changed', 'name', ${nameOf('h.changed_by')},
      'from_percentage', h.min_fill_alert_percentage, 'to_percentage', h.after)
  from (
    select h.at, h.changed_by, h.min_fill_alert_percentage, lead(h.min_fill_alert_percentage, 1, t.min_fill_alert_percentage) over (order by h.at) as after
    from tank_settings_history h join tanks t on t.no = h.tank_no where h.tank_no = $1
  ) as h where h.after <> h.min_fill_alert_percentage
  union all
  select s.said_at, 'act stop ' || s.no, json_build_object('type', 'stop_' || s.said, 'name', case s.said_as
        when 'driver' then (select d.name from drivers d where d.no = r.driver_no and d.deleted_at is null)
        else ${nameOf('s.said_by')} end,
      'because', s.said_reason, 'comment', (select w.comment from round_stop_words w where w.stop_no = s.no), 'volume', round((${inUnit('s.said_litres', 't.capacity_unit')})::numeric, 1), 'unit', t.capacity_unit,
      'round_date', r.date::text, 'truck_id', k.id)
  from round_stops s join rounds r on r.no = s.round_no join trucks k on k.no = r.truck_no join tanks t on t.no = s.tank_no
  where s.tank_no = $1 and (s.said = 'not_possible' or s.said = 'delivered' and not exists (
    select from delivery_notes n where n.tank_no = s.tank_no and not n.is_cancelled
      and n.at between s.said_at - interval '${MAX_PINNED_MATCH_HOURS} hours' and s.said_at + interval '${MAX_PINNED_MATCH_HOURS} hours'))`;

/** The ledger has each note once, with its verdict. It has no cancelled notes. A former owner's deliveries are not shown. */
const DELIVERIES = `
  select e.at, 'delivery ' || e.id as key, json_build_object('verdict', e.verdict, 'is_cancelled', false,
      'driver', case when $6::bool then (select d.name from drivers d where d.no = e.driver_no and d.deleted_at is null) end,
      'truck', (select k.name from trucks k where k.no = e.truck_no), 'comment', case when $6::bool then ${commentNear('e.at')} end,
      'gauge_volume', round((${inUnit('e.gauge_litres', 'n.unit')})::numeric, 1), 'unit', n.unit, 'notes', n.notes) as data
  from ledger_entries e
  cross join lateral (
    select min(n.unit) as unit, json_agg(json_build_object('id', n.id, 'series', n.series, 'number', n.number, 'volume', n.volume,
             'unit', n.unit, 'precision', n.precision) order by n.at, n.no) as notes
    from delivery_notes n where n.no = any (e.note_nos)
  ) as n
  where e.organization_no = $2 and e.customer_no = (select owner_no from tanks where no = $1) and e.tank_nos @> array[$1::int]
    and e.note_nos <> '{}'
  union all
  select n.at, 'delivery ' || n.id, json_build_object('verdict', null, 'is_cancelled', true,
      'driver', case when $6::bool then (select d.name from drivers d where d.no = n.driver_no and d.deleted_at is null) end,
      'truck', (select k.name from trucks k where k.no = n.truck_no), 'comment', null, 'gauge_volume', null, 'unit', n.unit,
      'notes', json_build_array(json_build_object('id', n.id, 'series', n.series, 'number', n.number, 'volume', n.volume,
        'unit', n.unit, 'precision', n.precision)))
  from delivery_notes n
  where n.tank_no = $1 and n.is_cancelled and n.customer_no = (select owner_no from tanks where no = $1)`;

const NOTES = `
  select n.created_at as at, 'note ' || n.no as key, json_build_object('id', n.id, 'name', ${nameOf('n.written_by')}, 'text', n.text,
      'prints', n.prints) as data
  from tank_notes n where n.tank_no = $1 and n.deleted_at is null`;

/**
 * The entries of each kind as a select of the columns at, key and data. Parameters: $1 tank, $2 organization, $6 whether the
 * caller sees the whole organization.
 */
export const TIMELINE_SOURCES: Readonly<Record<TimelineKind, string>> = {
  level: LEVELS,
  event: EVENTS,
  mail: MAILS,
  text: TEXTS,
  act: ACTS,
  delivery: DELIVERIES,
  note: NOTES,
};

/** The sources for counts. They leave out the lowest level since a refill, for which all readings since then are read. */
export const COUNTED_SOURCES: typeof TIMELINE_SOURCES = {
  ...TIMELINE_SOURCES,
  level: `select from tank_states s where ${LATEST} union all select ${REFILLS}`,
};
