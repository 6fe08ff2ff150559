import { audienceOf } from '../../status/handling.ts';
import { type StatusObject, statusObject } from '../../status/status_object.ts';
import type { TankStatusRow } from '../../status/status_rows.ts';
import { findTankPiece, readStatuses } from '../../status/tank_page.ts';
import { operation } from '../operation.ts';
import { type CsvFile, csvParameters, csvResponse, pagesByNumber } from './csv_response.ts';
import { filterParameters, fleetFilter } from './filters.ts';
import { TANK_STATUS_EXAMPLE, TankStatus } from './tank_status_schema.ts';
import { scopeOf } from './tanks.ts';

const COLUMNS: Readonly<Record<string, (status: StatusObject) => unknown>> = {
  tank_id: ({ tank }) => tank.id,
  name: ({ tank }) => tank.name,
  custom_id: ({ tank }) => tank.custom_id,
  device: ({ tank }) => tank.assigned_device_id,
  customer: ({ owner }) => owner.name,
  customer_external_key: ({ owner }) => owner.external_key,
  phone: ({ owner }) => owner.phone,
  street: ({ tank }) => tank.location.street,
  street_number: ({ tank }) => tank.location.street_number,
  district: ({ tank }) => tank.location.district,
  city: ({ tank }) => tank.location.city,
  postal_code: ({ tank }) => tank.location.postal_code,
  latitude: ({ tank }) => tank.location.latitude,
  longitude: ({ tank }) => tank.location.longitude,
  capacity: ({ tank }) => tank.capacity,
  capacity_unit: ({ tank }) => tank.capacity_unit,
  threshold_percentage: ({ tank }) => tank.min_fill_alert_percentage,
  status: ({ status, reading }) => (reading === null ? 'not_reporting_yet' : status.join(' ')),
  fill_percentage: ({ reading, level_range }) => level_range?.likely_percentage ?? reading?.fill_percentage,
  read_at: ({ reading }) => reading?.created_at,
  volume_left: ({ volume }) => volume.left,
  use_per_day: ({ volume }) => volume.use_per_day,
  threshold_likely_at: ({ threshold }) => threshold?.likely_at,
  threshold_earliest_at: ({ threshold }) => threshold?.earliest_at,
  threshold_latest_at: ({ threshold }) => threshold?.latest_at,
  empty_likely_at: ({ empty }) => empty?.likely_at,
  last_refill_at: ({ refilled }) => refilled?.at,
  last_refill_volume: ({ refilled }) => refilled?.delivered_volume,
  source: ({ source }) => source,
  level_low: ({ level_range }) => level_range?.low_percentage,
  level_high: ({ level_range }) => level_range?.high_percentage,
  last_dip_at: ({ dip }) => dip?.last_at,
  is_dip_wanted: ({ dip }) => dip?.is_wanted,
  product: ({ product }) => product,
  fill_limit_percentage: ({ fill_limit_percentage }) => fill_limit_percentage,
  order_threshold_percentage: ({ order_threshold_percentage }) => order_threshold_percentage,
  order_due_since: ({ order_due_since }) => order_due_since,
  external_key: ({ external_key }) => external_key,
};

const parameters = { ...filterParameters, ...csvParameters };

export const exportTankStatusesOperation = operation({
  path: '/fleet/v1/tanks.csv',
  operationId: 'exportTankStatuses',
  summary: 'Export tanks with their levels as CSV',
  description:
    'Returns all tanks that match the filter when the export begins, the most urgent first, each once. There is no limit.',
  returns: 'csv',
  item: TankStatus,
  example: TANK_STATUS_EXAMPLE,
  parameters,
  handle(request) {
    const { readers, caller } = request;
    const filter = fleetFilter(request.parameters);
    const scope = scopeOf(caller);
    const file: CsvFile<TankStatusRow> = {
      name: 'tanks.csv',
      header: Object.keys(COLUMNS),
      readPage: pagesByNumber(
        (after) => findTankPiece(readers, scope, filter, after),
        (numbers) => readStatuses(readers, scope, numbers),
      ),
      cellsOf(row) {
        const status = statusObject(row, audienceOf(caller));
        return Object.values(COLUMNS).map((column) => column(status));
      },
    };
    return Promise.resolve(csvResponse(request, file));
  },
});
