import { ALL_EVENT_TYPES } from '../../evaluation/pure/alerts/event_types.ts';
import { operation } from '../operation.ts';
import { formerly, timeParameter } from '../parameters.ts';
import { CSV_PAGE_ROWS, type CsvFile, csvParameters, csvResponse, localTimeIn } from './csv_response.ts';
import { EVENT_EXAMPLE, Event } from './events.ts';
import { filterParameters, oneOf } from './filters.ts';
import { type EventRow, readEventRows } from './history.ts';
import { scopeOf } from './tanks.ts';
import { usageParameters } from './usage.ts';

/** The value of the first of these names that the data of the event have. Names differ by type. */
const valueOf =
  (...names: string[]) =>
  ({ data }: EventRow): unknown =>
    names.map((name): unknown => Reflect.get(data, name)).find((value) => value !== undefined);

/** The columns in the order of the file. `local` is the time in the zone of the file, such as 2025-11-02 00:00. */
const COLUMNS: Readonly<Record<string, (row: EventRow, local: string) => unknown>> = {
  month: (_, local) => local.slice(0, 7),
  date: (_, local) => local.slice(0, 10),
  time: (_, local) => local.slice(11, 16),
  type: ({ type }) => type,
  tank: ({ tank_name }) => tank_name,
  custom_id: ({ custom_id }) => custom_id,
  customer: ({ owner_name }) => owner_name,
  customer_external_key: ({ external_key }) => external_key,
  city: ({ city }) => city,
  before_percentage: valueOf('before_percentage', 'from_percentage'),
  after_percentage: valueOf('after_percentage', 'to_percentage', 'fill_percentage'),
  threshold_percentage: valueOf('threshold_percentage'),
  // A retracted event has no volume, so that the sum of the column is right.
  volume: (row) => (row.retracted_at === null ? valueOf('delivered_volume', 'lost_volume')(row) : ''),
  volume_unit: valueOf('volume_unit'),
  hours: valueOf('hours', 'silent_for_hours'),
  reason: (row) =>
    valueOf('reason')(row) ?? (valueOf('maybe_gauge_fault')(row) === true ? 'maybe_gauge_fault' : undefined),
  occurred_at: ({ occurred_at }) => occurred_at,
  recorded_at: ({ recorded_at }) => recorded_at,
  event_id: ({ id }) => id,
  tank_id: ({ tank_id }) => tank_id,
  customer_id: ({ owner_id }) => owner_id,
  retracted_at: ({ retracted_at }) => retracted_at,
  retracted_because: ({ retracted_because }) => retracted_because,
};

const since = timeParameter('Export only events that happened at this time or later.');
const until = timeParameter('Export only events that happened before this time.');

const parameters = {
  since,
  until,
  from: formerly('since', since),
  to: formerly('until', until),
  type: oneOf(ALL_EVENT_TYPES, 'Export only events of this type.'),
  owner_id: { ...filterParameters.owner_id, description: 'Export only events of the tanks of this customer.' },
  zone: {
    ...usageParameters.zone,
    description:
      'Time zone of the columns month, date and time, and of days in other parameters, as in the IANA database. Default: UTC, or that ' +
      'of the organization if `since` or `until` is a day.',
  },
  ...csvParameters,
};

export const exportEventsOperation = operation({
  path: '/fleet/v1/events.csv',
  operationId: 'exportEvents',
  summary: 'Export events as CSV',
  description:
    'Returns all events of a period, newest first, for a spreadsheet. There is no limit. Retracted events say why in ' +
    '`retracted_because` and have no volume. A program that must not miss an event follows `/fleet/v1/events` instead.',
  returns: 'csv',
  item: Event,
  example: EVENT_EXAMPLE,
  hasLocalTimes: true,
  parameters,
  handle(request) {
    const {
      from,
      to,
      since: sinceTime = from,
      until: untilTime = to,
      type = null,
      owner_id: ownerId = null,
      zone = request.dayZone ?? 'UTC',
    } = request.parameters;
    const filter = {
      type,
      ownerId,
      sinceMs: sinceTime?.ms ?? null,
      untilMs: untilTime?.ms ?? null,
      withRetracted: true,
    };
    const { readers, caller } = request;
    const scope = scopeOf(caller);
    const localTime = localTimeIn(zone);
    const file: CsvFile<EventRow> = {
      name: 'events.csv',
      zone,
      header: Object.keys(COLUMNS),
      readPage: (after) => readEventRows(readers, scope, { filter, after, size: CSV_PAGE_ROWS }),
      cellsOf(row) {
        const local = localTime(row.occurred_at);
        return Object.values(COLUMNS).map((column) => column(row, local));
      },
    };
    return Promise.resolve(csvResponse(request, file));
  },
});
