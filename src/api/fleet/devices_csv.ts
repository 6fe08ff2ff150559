import { type DeviceItem, findDevicePiece, readDevices } from '../../status/device_page.ts';
import { operation } from '../operation.ts';
import { type CsvFile, csvParameters, csvResponse, pagesByNumber } from './csv_response.ts';
import { DEVICE_EXAMPLE, Device, deviceFilter, deviceFilterParameters } from './devices.ts';
import { scopeOf } from './tanks.ts';

const COLUMNS: Readonly<Record<string, (device: DeviceItem) => unknown>> = {
  device: ({ device_id }) => device_id,
  state: ({ state }) => state,
  last_heard_at: ({ last_heard_at }) => last_heard_at,
  usual_interval_hours: ({ usual_interval_hours }) => usual_interval_hours,
  gauge_unreliable_since: ({ gauge_unreliable_since }) => gauge_unreliable_since,
  battery_percent: ({ battery_percent }) => battery_percent,
  battery_v: ({ battery_v }) => battery_v,
  battery_low_since: ({ battery_low_since }) => battery_low_since,
  battery_months_left_min: ({ battery_months_left }) => battery_months_left?.min,
  battery_months_left_max: ({ battery_months_left }) => battery_months_left?.max,
  signal_dbm: ({ signal_dbm }) => signal_dbm,
  signal_percent: ({ signal_percent }) => signal_percent,
  temperature_celsius: ({ temperature_celsius }) => temperature_celsius,
  firmware: ({ firmware }) => firmware,
  profile: ({ profile }) => profile,
  fault: ({ fault }) => fault,
  fault_since: ({ fault_since }) => fault_since,
  tank_id: ({ tank }) => tank.id,
  name: ({ tank }) => tank.name,
  custom_id: ({ tank }) => tank.custom_id,
  city: ({ tank }) => tank.city,
  customer: ({ owner }) => owner.name,
  commissioned_at: ({ commissioned_at }) => commissioned_at,
  commissioned_by_name: ({ commissioned_by_name }) => commissioned_by_name,
  taken_on_by: ({ taken_on }) => taken_on?.name,
};

const parameters = { ...deviceFilterParameters, ...csvParameters };

export const exportDevicesOperation = operation({
  path: '/fleet/v1/devices.csv',
  operationId: 'exportDevices',
  summary: 'Export devices as CSV',
  description:
    'Returns all devices that match the filter when the export begins, in the order of the list, each once. There is no limit.',
  returns: 'csv',
  item: Device,
  example: DEVICE_EXAMPLE,
  parameters,
  handle(request) {
    const { readers, caller } = request;
    const filter = deviceFilter(request.parameters);
    const scope = scopeOf(caller);
    const file: CsvFile<DeviceItem> = {
      name: 'devices.csv',
      header: Object.keys(COLUMNS),
      readPage: pagesByNumber(
        (after) => findDevicePiece(readers, scope, filter, after),
        (numbers) => readDevices(readers, scope, numbers),
      ),
      cellsOf: (device) => Object.values(COLUMNS).map((column) => column(device)),
    };
    return Promise.resolve(csvResponse(request, file));
  },
});
