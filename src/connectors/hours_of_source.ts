import { isoTimeSql } from '../db/iso_time.ts';

/** The readings, successes and failures of a source in an hour. */
export interface HourOfSource {
  at: string;
  readings: number;
  successes: number;
  failures: number;
}

/** The number of hours that are kept and returned, including the current one. */
export const SHOWN_HOURS = 24;
/** SQL: the number of the current hour since 1970. */
const HOUR_SQL = `(date_part('epoch', now())::bigint / 3600)::int`;

/** SQL: the hours of the row `s` of connector_states, oldest first. */
export const HOURS_SQL = `(
      select json_agg(json_build_object('at', ${isoTimeSql('to_timestamp(hour.no * 3600.0)')},
               'readings', coalesce((s.hours -> hour.no::text -> 0)::int, 0),
               'successes', coalesce((s.hours -> hour.no::text -> 1)::int, 0),
               'failures', coalesce((s.hours -> hour.no::text -> 2)::int, 0)) order by hour.no)
      from generate_series(${HOUR_SQL} - ${SHOWN_HOURS - 1}, ${HOUR_SQL}) as hour (no)
    )`;

/**
 * SQL: the hours of a connector after one more success or failure, each as [readings, successes, failures], by the number of the hour
 * since 1970. Hours that are no longer shown are left out.
 */
export const countedHours = (readings: string, [successes, failures]: readonly [number, number]): string => {
  const counts = [`${readings}::int`, successes, failures].map(
    (n, index) => `coalesce((s.hours -> hour.no -> ${index})::int, 0) + ${n}`,
  );
  return `(
    select jsonb_object_agg(h.no, h.counts)
    from (select ${HOUR_SQL}::text as no) as hour
    cross join lateral (
      select key as no, value as counts from jsonb_each(s.hours)
      where key <> hour.no and key::int > ${HOUR_SQL} - ${SHOWN_HOURS}
      union all
      select hour.no, jsonb_build_array(${counts.join(', ')})
    ) as h
  )`;
};
