import { type Static, Type } from 'typebox';
import { findStoredDevices, MAX_STORED_DEVICES } from '../../gauges/stored_devices.ts';
import { Named, Nullable, NullableNumber, NullableString, NullableTime } from '../schemas/values.ts';
import { type ManageOperation, read } from './manage_operation.ts';

const StoredDevices = Named('StoredDevices', {
  object: Type.Literal('list'),
  data: Type.Array(
    Named('StoredDevice', {
      device_id: Type.String({ description: 'Serial number of the device.' }),
      heard_at: NullableTime('When its latest message came, also one that gave no reading. Null: none is known.'),
      taken_off_at: NullableTime('When it was taken off its last tank. Null: it was never on one.'),
      last_tank: Nullable('Its last tank. Null: it was never on one, or the tank was deleted.', {
        id: Type.String({ description: 'ID of the tank.' }),
        name: Type.String({ description: 'Its name.' }),
        custom_id: NullableString("The customer's own identifier for the tank."),
      }),
      is_revoked: Type.Boolean({ description: 'Whether it is refused until it gets a new password.' }),
      profile: NullableString('The profile that read its messages. Null: none.'),
      battery_percent: NullableNumber('Its battery. Null: it did not report one in percent.'),
      battery_v: NullableNumber('The voltage of its battery. Null: it did not report one.'),
    }),
  ),
  total: Type.Integer({ description: `Number of all such devices. At most ${MAX_STORED_DEVICES} of them are listed.` }),
});
const EXAMPLE: Static<typeof StoredDevices> = {
  object: 'list',
  data: [
    {
      device_id: 'A84041000181D4A7',
      heard_at: '2025-11-02T08:14:09.514Z',
      taken_off_at: '2025-11-02T08:20:00.000Z',
      last_tank: { id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66', name: 'House', custom_id: 'T-4711' },
      is_revoked: true,
      profile: 'dragino-ldds75',
      battery_percent: null,
      battery_v: 3.52,
    },
  ],
  total: 1,
};

export const STORED_DEVICES_OPERATION: ManageOperation = read({
  path: '/manage/v1/devices',
  operationId: 'listStoredDevices',
  summary: 'List devices on no tank',
  description:
    'Returns the devices that are on no tank now: devices that were taken off their tanks, that a source reports, or whose readings are ' +
    'rejected. The devices with the latest message or change come first. `/fleet/v1/devices` has the devices on tanks.',
  tag: 'manage tanks',
  allowedCallers: ['key', 'administrator', 'technician'],
  item: StoredDevices,
  example: EXAMPLE,
  async read({ db, organizationNo }) {
    const { devices, total } = await findStoredDevices(db, organizationNo);
    return { status: 200, body: { object: 'list', data: devices, total } };
  },
});
