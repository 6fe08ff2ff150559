import { type Static, Type } from 'typebox';
import { issuePassword } from '../../catalog/devices.ts';
import { tankEtag } from '../../catalog/etags.ts';
import { lockOrganization } from '../../catalog/organizations.ts';
import { namedDevice, newPlaceholderDevice } from '../../catalog/placeholder_device.ts';
import { assignDevice, type DeviceExchange } from '../../catalog/tanks.ts';
import { findKnownDevice, type KnownDevice } from '../../gauges/known_device.ts';
import { invalidParameters, notFound } from '../../http/problem.ts';
import { devicePassword, deviceUserName } from '../../keys/device_password.ts';
import { readDeviceSecret } from '../../keys/own_secrets.ts';
import { isDeviceId, MEASURE_KINDS, REJECTION_CODES } from '../../telemetry/reading.ts';
import { ManagedTank } from '../schemas/managed_objects.ts';
import {
  Closed,
  Named,
  Nullable,
  NullableEnum,
  NullableNumber,
  NullableString,
  NullableTime,
  Time,
} from '../schemas/values.ts';
import { compare } from './conditions.ts';
import { type ManageOperation, read, write } from './manage_operation.ts';
import { STORED_DEVICES_OPERATION } from './stored_devices.ts';
import { liveTankNo, respondWithTank, TANK_OBJECT_EXAMPLE } from './tanks.ts';

const ALLOWED_CALLERS = ['key', 'administrator', 'technician'] as const;

const Replacement = Closed({
  replacement: Type.String({ description: 'Another device for the tank that loses its device.' }),
});
const Assignment = Named('DeviceAssignment', {
  device_id: Type.String({
    description:
      'Serial number of the device, as the manufacturer writes it. `manual`: the tank has no sensor from now on.',
  }),
  exchange: Type.Optional(
    Type.Union([Type.Enum(['swap', 'release']), Replacement], {
      description:
        'If another tank has the device now, what that tank gets: the device of this tank (`swap`), a placeholder (`release`), or another device.',
    }),
  ),
  revoke_old: Type.Optional(
    Type.Boolean({ description: 'Whether the device that was on this tank is refused from now on.' }),
  ),
});

const Password = Named('DevicePassword', {
  object: Type.Literal('device_password'),
  device_id: Type.String({ description: 'Serial number of the device.' }),
  user_name: Type.String({ description: 'User name for MQTT.' }),
  password: NullableString('The password. It is in no other answer. Null in a dry run.'),
  generation: Type.Integer({ description: 'How many passwords the device has had.' }),
});
const PASSWORD_EXAMPLE: Static<typeof Password> = {
  object: 'device_password',
  device_id: 'ABCD1234',
  user_name: 'a0gas/ABCD1234',
  password: 'wV1c0mN7tQ2yJr8sKf4L6gb1nC7xq0Tt2mVw9sKf4L4',
  generation: 1,
};

const KnownDeviceObject = Named('KnownDevice', {
  object: Type.Literal('device'),
  device_id: Type.String({ description: 'Serial number of the device.' }),
  tank_id: NullableString('ID of the tank that it is on. Null: it is on no tank.'),
  heard_at: NullableTime('When its latest message came, also one that gave no reading. Null: none is known.'),
  profile: NullableString('The profile that reads its messages. Null: none.'),
  maker: NullableString('Who makes it.'),
  model: NullableString('Which devices the profile reads.'),
  recognized_by: NullableEnum(
    ['assignment', 'messages'],
    'Whether the profile is assigned to the device, or was selected by what the device sent. Null: there is none.',
  ),
  channels: Type.Array(Type.Integer(), {
    description: 'The numbers of its inputs, if it has several. The device of a tank is then `<device>#<number>`.',
  }),
  measures: Type.Array(Type.Enum([...MEASURE_KINDS]), {
    description: 'What it measures, by its profile or by what it sent. Such a tank needs a gauge.',
  }),
  reports_level: Type.Boolean({ description: 'Whether it sends a level that it has computed itself.' }),
  battery_v: NullableNumber('The voltage of its battery.'),
  battery_percent: NullableNumber('Its battery.'),
  signal_dbm: NullableNumber('Its latest signal.'),
  signal_percent: NullableNumber('Its latest signal, if it reports percent.'),
  last_rejection: Nullable('Its newest message that gave no reading, if it is among the last 1,000.', {
    received_at: Time('When it came.'),
    code: Type.Enum([...REJECTION_CODES], { description: 'Why it was rejected.' }),
    detail: Type.String({ description: 'What is wrong and what to do.' }),
  }),
});
const KNOWN_DEVICE_EXAMPLE: { object: 'device' } & KnownDevice = {
  object: 'device',
  device_id: 'A84041000181D4A7',
  tank_id: null,
  heard_at: '2025-11-02T08:14:09.514Z',
  profile: 'dragino-ldds75',
  maker: 'Dragino',
  model: 'LDDS75 ultrasonic',
  recognized_by: 'messages',
  channels: [],
  measures: ['distance'],
  reports_level: false,
  battery_v: 3.52,
  battery_percent: null,
  signal_dbm: -96,
  signal_percent: null,
  last_rejection: {
    received_at: '2025-11-02T08:14:09.514Z',
    code: 'unknown_device',
    detail: 'The device is not assigned to a tank.',
  },
};

/** Checks a device ID. Throws 422. */
function parseDeviceId(param: string, text: string): string {
  const parsed = namedDevice(text);
  if ('value' in parsed) return parsed.value;
  throw invalidParameters([{ param, code: 'invalid', detail: `The device ID ${parsed.reason}.` }]);
}

function parseExchange(exchange: Static<typeof Assignment>['exchange']): DeviceExchange {
  if (exchange === 'swap') return { swap: true };
  if (exchange === 'release') return { replacement: newPlaceholderDevice() };
  return exchange && { replacement: parseDeviceId('exchange.replacement', exchange.replacement) };
}

export const DEVICE_OPERATIONS: readonly ManageOperation[] = [
  STORED_DEVICES_OPERATION,
  read({
    path: '/manage/v1/devices/:device_id',
    pathParameters: { device_id: 'Serial number of the device, percent-encoded.' },
    operationId: 'readDevice',
    summary: 'Read what is known of a device',
    description:
      'Returns the model of a device and what it measures, before it is put on a tank: by the profile that is assigned to it, otherwise ' +
      'by what it has sent. A device that is not known has no profile and no time.',
    tag: 'manage tanks',
    allowedCallers: ALLOWED_CALLERS,
    item: KnownDeviceObject,
    example: KNOWN_DEVICE_EXAMPLE,
    async read({ db, organizationNo, path: { device_id = '' } }) {
      const known = await findKnownDevice(db, organizationNo, parseDeviceId('device_id', device_id));
      return { status: 200, body: { object: 'device', ...known } };
    },
  }),
  write({
    method: 'PUT',
    path: '/manage/v1/tanks/:id/device',
    pathParameters: { id: 'ID of the tank.' },
    operationId: 'putDevice',
    summary: 'Put a device on a tank',
    description:
      'Assigns a device to the tank. Readings from now on belong to it. A device that is on another tank is a conflict, whose ' +
      '`conflicting_id` is that tank, unless `exchange` says what that tank gets. The device that the tank has already changes nothing.',
    tag: 'manage tanks',
    allowedCallers: ALLOWED_CALLERS,
    item: ManagedTank,
    example: TANK_OBJECT_EXAMPLE,
    queue: 'catalog',
    body: Assignment,
    condition: 'optional',
    async handle({ tx, organizationNo, path, values, condition }) {
      const deviceId = parseDeviceId('device_id', values.device_id);
      const exchange = parseExchange(values.exchange);
      const no = await liveTankNo(tx, { organizationNo, path });
      await assignDevice(tx, organizationNo, no, deviceId, exchange, {
        revokesOld: values.revoke_old === true,
        check: compare(condition, tankEtag),
      });
      return respondWithTank(tx, organizationNo, { no }, 200);
    },
  }),
  write({
    method: 'POST',
    path: '/manage/v1/devices/:id/password',
    pathParameters: { id: 'Serial number of the device, percent-encoded.' },
    operationId: 'issueDevicePassword',
    summary: 'Show the password of a device',
    description:
      'Returns the user name and the password of a device that is, or was, on a tank; the audit log records it. With `rotate`, the ' +
      'device gets a new password, and the old one is refused within a second; a revoked device may connect again with it. ' +
      'Installations whose api does not have DEVICE_SECRET answer 404.',
    tag: 'manage tanks',
    allowedCallers: ALLOWED_CALLERS,
    item: Password,
    example: PASSWORD_EXAMPLE,
    queue: 'catalog',
    body: Named('PasswordRequest', {
      rotate: Type.Optional(Type.Boolean({ description: 'Whether the device gets a new password.' })),
    }),
    async handle({ tx, organizationNo, path: { id = '' }, values, deviceSecrets, isDryRun }) {
      if (deviceSecrets === null) throw notFound('path');
      if (!isDeviceId(id)) throw notFound('device');
      const device = await issuePassword(tx, organizationNo, id, { rotates: values.rotate === true });
      const { code } = await lockOrganization(tx, organizationNo);
      const secret = await readDeviceSecret(tx, deviceSecrets, { no: organizationNo, code });
      const body: Static<typeof Password> = {
        object: 'device_password',
        device_id: id,
        user_name: deviceUserName(code, id),
        password: isDryRun ? null : devicePassword(secret, id, device.generation),
        generation: device.generation,
      };
      return {
        status: 200,
        body,
        ...(device.tank_no === null ? {} : { about: { object: 'tank', no: device.tank_no } }),
      };
    },
  }),
];
