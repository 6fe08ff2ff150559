import { type Static, Type } from 'typebox';
import { findDevicePage } from '../../status/device_page.ts';
import {
  type CountedDevices,
  countDevices,
  DEVICE_STATES,
  DEVICE_TROUBLES,
  type DeviceFilter,
  readTakenVersion,
  sumDevices,
} from '../../status/device_troubles.ts';
import { operation } from '../operation.ts';
import type { ParameterValues } from '../parameters.ts';
import {
  Closed,
  Named,
  Nullable,
  NullableNumber,
  NullableString,
  NullableTime,
  pageEnd,
  pageEndFields,
  Time,
} from '../schemas/values.ts';
import { cursor, cursorOrProblem, filterParameters, idParameter, oneOf, pageSize } from './filters.ts';
import { CachedResults } from './recent_counts.ts';
import { scopeOf } from './tanks.ts';

export const Device = Named('FleetDevice', {
  device_id: Type.String({ description: 'Serial number or DevEUI.' }),
  state: Type.Enum([...DEVICE_STATES], {
    description:
      '`silent`: it has not reported for much longer than usual. `fault`: it reports that it could not measure. ' +
      '`gauge_unreliable`: its levels cannot be believed. `battery_low`, `weak_signal`: as it reports itself. `never_heard`: its ' +
      'tank has no reading so far. `reporting`: none of these. A device has the first state that is true.',
  }),
  last_heard_at: NullableTime('Time of its latest reading on this tank. Null if it has no reading so far.'),
  usual_interval_hours: NullableNumber('The usual interval between two readings. Null if it is not known yet.'),
  gauge_unreliable_since: NullableTime('Since when its levels cannot be believed.'),
  battery_percent: NullableNumber('The charge of its battery, in percent. Null if it does not report a percentage.'),
  battery_v: NullableNumber('The voltage of its battery. Null if it does not report a voltage.'),
  battery_low_since: NullableTime('Since when its battery is low.'),
  battery_months_left: Nullable(
    'In how many months its battery will be low, at most 24. Null if the charge does not fall clearly so far.',
    {
      min: Type.Integer({ description: 'At the earliest.' }),
      max: Type.Integer({ description: 'At the latest.' }),
    },
  ),
  signal_dbm: NullableNumber('The median of its signal in a week. Null if it reports no signal, or reports percent.'),
  signal_percent: NullableNumber('The median of its signal in a week, if it reports percent.'),
  temperature_celsius: NullableNumber('Its temperature.'),
  firmware: NullableString('Its firmware.'),
  profile: NullableString('The profile that reads its messages. Null if no profile reads them.'),
  fault: NullableString('Why it could not measure. Null if it has no fault.'),
  fault_since: NullableTime('Since when it could not measure.'),
  next_report_at: NullableTime('When it will report again, as it says.'),
  tank: Closed({
    id: Type.String({ description: 'ID of the tank.' }),
    name: Type.String({ description: 'Its name.' }),
    custom_id: NullableString("The customer's own identifier for the tank."),
    city: NullableString('City.'),
  }),
  owner: Closed({
    id: Type.String({ description: 'ID of the customer.' }),
    name: Type.String({ description: 'Name.' }),
  }),
  commissioned_at: Time('When it was put on the tank.'),
  commissioned_by: NullableString(
    'ID of the contact who put it there, also if this contact was removed. Null for a program, a command or a device put there before 0.4, and if the key is narrowed to a customer.',
  ),
  commissioned_by_name: NullableString(
    'Who put it there. Null for a program, a command, a person who was removed or a device put there before 0.4, and if the key is narrowed to a customer.',
  ),
  taken_on: Nullable(
    'Who takes care of it, until `until` at the latest. Null if nobody does, or if the key is narrowed to a customer.',
    {
      acknowledgement_id: Type.String({ description: 'ID of the acknowledgement.' }),
      name: NullableString('Name or address of the person. Null for a program.'),
      since: Time('When the person took it on.'),
      until: Time('When the acknowledgement ends at the latest.'),
    },
  ),
});

export const DEVICE_EXAMPLE: Static<typeof Device> = {
  device_id: 'A84041000181D4A7',
  state: 'silent',
  last_heard_at: '2025-11-02T06:00:00.000Z',
  usual_interval_hours: 6,
  gauge_unreliable_since: null,
  battery_percent: 71,
  battery_v: 3.52,
  battery_low_since: null,
  battery_months_left: { min: 14, max: 20 },
  signal_dbm: -104,
  signal_percent: null,
  temperature_celsius: 4.5,
  firmware: '1.2.1',
  profile: 'dragino-ldds75',
  fault: null,
  fault_since: null,
  next_report_at: null,
  tank: { id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66', name: 'House', custom_id: 'T-4711', city: 'Celaya' },
  owner: { id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90', name: 'María López' },
  commissioned_at: '2025-03-11T15:20:00.000Z',
  commissioned_by: '01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
  commissioned_by_name: 'Luis Vega',
  taken_on: null,
};

const Devices = Named('FleetDevices', {
  object: Type.Literal('devices'),
  devices: Type.Array(Device, { description: 'The devices of the page.' }),
  counts: Closed(
    {
      silent: Type.Integer({ description: 'Number of silent devices.' }),
      fault: Type.Integer({ description: 'Number of other devices that could not measure.' }),
      gauge_unreliable: Type.Integer({ description: 'Number of other devices whose levels cannot be believed.' }),
      battery_low: Type.Integer({ description: 'Number of other devices with a low battery.' }),
      weak_signal: Type.Integer({ description: 'Number of other devices with a weak signal.' }),
      never_heard: Type.Integer({ description: 'Number of other devices without a reading so far.' }),
      taken_on: Type.Integer({
        description: 'Number of devices in trouble that somebody has taken on. The other counts do not contain them.',
      }),
    },
    'The numbers of devices that match the filters `city` and `commissioned_by`.',
  ),
  cities: Type.Array(
    Closed({
      city: Type.String({ description: 'The city. Empty if it is not known.' }),
      devices: Type.Integer({ description: 'Number of devices there that need a person.' }),
    }),
    { description: 'The cities with devices that need a person, the cities with most such devices first.' },
  ),
  commissioners: Type.Array(
    Closed({
      id: Type.String({ description: 'ID of the contact, for `commissioned_by`.' }),
      name: NullableString('Name or address. Null if the person was removed.'),
      devices: Type.Integer({
        description: 'Number of their devices that need a person, in the town of the filter.',
      }),
    }),
    { description: 'Everybody who put a device on a tank. Empty if the key is narrowed to a customer.' },
  ),
  as_of: Time('When the devices were counted, at most 10 seconds ago.'),
  ...pageEndFields,
});

const EXAMPLE: Static<typeof Devices> = {
  object: 'devices',
  devices: [DEVICE_EXAMPLE],
  counts: { silent: 1, fault: 0, gauge_unreliable: 0, battery_low: 0, weak_signal: 0, never_heard: 0, taken_on: 0 },
  cities: [{ city: 'Celaya', devices: 1 }],
  commissioners: [{ id: '01989f31-7a11-7c55-9d20-6c1f4be0a3d2', name: 'Luis Vega', devices: 1 }],
  as_of: '2025-11-04T12:00:00.000Z',
  ...pageEnd(null),
};

export const deviceFilterParameters = {
  state: oneOf(
    [...DEVICE_TROUBLES, 'trouble', 'taken_on'],
    'Return only devices with this state that nobody has taken on. `trouble`: all devices that are not `reporting`, in this order. ' +
      '`taken_on`: devices in trouble that somebody has taken on. Without it: all devices.',
  ),
  city: filterParameters.city,
  commissioned_by: idParameter('Return only the devices that this contact put on their tanks.', 'the ID of a contact'),
};

export const deviceFilter = ({
  state,
  city,
  commissioned_by: commissionedBy,
}: ParameterValues<typeof deviceFilterParameters>): DeviceFilter => ({
  ...(state !== undefined && { state }),
  ...(city !== undefined && { city }),
  ...(commissionedBy !== undefined && { commissionedBy }),
});

const parameters = { ...deviceFilterParameters, size: pageSize, after: cursor('`next` of the page before.') };
const recentCounts = new CachedResults<CountedDevices>();

export const listDevicesOperation = operation({
  path: '/fleet/v1/devices',
  operationId: 'listDevices',
  summary: 'List devices by when they were last heard of',
  description:
    'Returns the devices on tanks with their usual interval and who put them there, those that were heard of longest ago first. Tanks ' +
    'without a sensor, and without a device so far, are left out.',
  returns: 'answer',
  item: Devices,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, parameters: given }) {
    const scope = scopeOf(caller);
    const filter = deviceFilter(given);
    const { size = 50, after } = given;
    const [page, counted] = await Promise.all([
      cursorOrProblem('after', () => findDevicePage(readers, scope, { filter, after, size })),
      // The version of acknowledgements is part of the key, so that a person who takes on a device sees new counts at
      // once.
      readTakenVersion(readers, scope).then((version) =>
        recentCounts.read(readers, JSON.stringify([scope, version]), () => countDevices(readers, scope)),
      ),
    ]);
    const sums = sumDevices(counted.value, filter);
    return { body: { object: 'devices', devices: page.rows, ...sums, as_of: counted.asOf, ...pageEnd(page.next) } };
  },
});
