import { audienceOf } from '../../fleet/handling.ts';
import { type StatusObject, statusObject } from '../../fleet/status_object.ts';
import type { FleetFilter } from '../../fleet/tank_filter.ts';
import { findTankPage, type TankPage } from '../../fleet/tank_page.ts';
import { BYTE_ORDER_MARK, csvLine } from '../../values/csv.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import type { ParameterValues } from '../parameters.ts';
import { csvResponse } from './csv_response.ts';
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
};

const PAGE_TANKS = 500;

/** If the key is revoked meanwhile, the file ends in the middle and the connection is closed, so that nobody takes it for complete. */
async function* csvOf(
  { readers, caller, reauthorize }: Pick<OperationRequest, 'readers' | 'caller' | 'reauthorize'>,
  filter: FleetFilter,
): AsyncGenerator<string> {
  const scope = scopeOf(caller);
  yield BYTE_ORDER_MARK + csvLine(Object.keys(COLUMNS));
  let after: string | undefined;
  do {
    await reauthorize();
    const request = { scope, filter, sort: 'urgency', size: PAGE_TANKS } as const;
    const page: TankPage = await findTankPage(readers, after === undefined ? request : { ...request, after });
    const lines = page.rows.map((row) => {
      const status = statusObject(row, audienceOf(caller));
      return csvLine(
        Object.values(COLUMNS).map((column) => column(status)),
        { isSpreadsheetSafe: true },
      );
    });
    yield lines.join('');
    after = page.next ?? undefined;
  } while (after !== undefined);
}

export const exportTankStatusesOperation: Operation = {
  path: '/fleet/v1/tanks.csv',
  operationId: 'exportTankStatuses',
  summary: 'Export tanks with their levels as CSV',
  description: 'Returns all tanks of the filter, the most urgent first, for a spreadsheet. There is no limit.',
  returns: 'csv',
  item: TankStatus,
  example: TANK_STATUS_EXAMPLE,
  parameters: filterParameters,
  handle(request: OperationRequest<ParameterValues<typeof filterParameters>>) {
    return Promise.resolve(csvResponse('tanks.csv', csvOf(request, fleetFilter(request.parameters))));
  },
};
