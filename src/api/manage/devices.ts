import { type Static, Type } from 'typebox';
import { devicesToIssue, recordIssues, revokeDevice, rotateDevice } from '../../catalog/devices.ts';
import { TANK_FIELDS } from '../../catalog/fields.ts';
import { lockOrganization } from '../../catalog/organizations.ts';
import { isPlaceholderDevice, newPlaceholderDevice } from '../../catalog/placeholder_device.ts';
import { assignDevice, type DeviceExchange } from '../../catalog/tanks.ts';
import type { Tx } from '../../db/pool.ts';
import { conflict, invalidParameters, notFound } from '../../http/problem.ts';
import { devicePassword, deviceUserName } from '../../keys/device_password.ts';
import { readDeviceSecret } from '../../keys/own_secrets.ts';
import { deviceOrManual, isManualDevice } from '../../values/manual_device.ts';
import { checkCondition } from './conditions.ts';
import type { ManageOperation } from './operation.ts';
import { dryRun } from './parameters.ts';
import { answerWithTank, findTankById, ManagedTank, TANK_OBJECT_EXAMPLE, tankEtag } from './tanks.ts';

const closed = { additionalProperties: false };
const WHO = ['key', 'administrator', 'technician'] as const;

const Replacement = Type.Object(
  { replacement: Type.String({ description: 'Another device for the tank that loses its device.' }) },
  closed,
);
const Assignment = Type.Object(
  {
    device_id: Type.String({
      description:
        'Serial number of the device, as the manufacturer writes it. `manual`: the tank has no sensor from now on.',
    }),
    exchange: Type.Optional(
      Type.Union([Type.Enum(['swap', 'release']), Replacement], {
        description:
          'What the tank gets that has the device now: the device of this tank (`swap`), a placeholder (`release`), or another device.',
      }),
    ),
    revoke_old: Type.Optional(
      Type.Boolean({ description: 'Whether the device that was on this tank is refused from now on.' }),
    ),
  },
  { title: 'DeviceAssignment', ...closed },
);

const Password = Type.Object(
  {
    object: Type.Literal('device_password'),
    device_id: Type.String({ description: 'Serial number of the device.' }),
    user_name: Type.String({ description: 'User name for MQTT.' }),
    password: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The password. It is in no other answer. Null in a dry run.',
    }),
    generation: Type.Integer({ description: 'How many passwords the device has had.' }),
  },
  { title: 'DevicePassword', ...closed },
);
const PASSWORD_EXAMPLE: Static<typeof Password> = {
  object: 'device_password',
  device_id: 'ABCD1234',
  user_name: 'a0gas/ABCD1234',
  password: 'wV1c0mN7tQ2yJr8sKf4L6gb1nC7xq0Tt2mVw9sKf4L4',
  generation: 1,
};

/** The id of a device that can be on a tank. Throws 422. */
function readDeviceId(param: string, text: unknown): string {
  const parsed = TANK_FIELDS.assigned_device_id(String(text));
  if ('value' in parsed && !isPlaceholderDevice(parsed.value)) return parsed.value;
  const detail = 'reason' in parsed ? `The device ID ${parsed.reason}.` : 'Must not be a placeholder.';
  throw invalidParameters([{ param, code: 'invalid', detail }]);
}

function readExchange(exchange: unknown): DeviceExchange {
  if (exchange === 'swap') return { swap: true };
  if (exchange === 'release') return { replacement: newPlaceholderDevice() };
  if (exchange === undefined) return undefined;
  return { replacement: readDeviceId('exchange.replacement', Reflect.get(Object(exchange), 'replacement')) };
}

async function tankWithDevice(tx: Tx, organizationNo: number, deviceId: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ id: string }>(
    'select id from tanks where organization_no = $1 and assigned_device_id = $2',
    [organizationNo, deviceId],
  );
  return rows[0]?.id;
}

export const DEVICE_OPERATIONS: readonly ManageOperation[] = [
  {
    kind: 'write',
    method: 'PUT',
    path: '/manage/v1/tanks/:id/device',
    pathParameters: { id: 'ID of the tank.' },
    operationId: 'putDevice',
    summary: 'Put a device on a tank',
    description:
      'Assigns a device to the tank. Readings from now on belong to it. A device that is on another tank is a conflict, whose ' +
      '`conflicting_id` is that tank, unless `exchange` says what that tank gets. The device that the tank has already changes nothing.',
    tag: 'manage tanks',
    who: WHO,
    parameters: { dry_run: dryRun },
    item: ManagedTank,
    example: TANK_OBJECT_EXAMPLE,
    statuses: [200],
    line: 'catalog',
    body: Assignment,
    condition: 'optional',
    async handle({ tx, organizationNo, path: { id = '' }, body, condition }) {
      const given = readDeviceId('device_id', body['device_id']);
      const exchange = readExchange(body['exchange']);
      const current = await findTankById(tx, organizationNo, id);
      if (current === undefined || current.object === null) throw notFound('tank');
      checkCondition(condition, tankEtag(current.object), { isRequired: false });
      const oldDevice = current.object.assigned_device_id;
      const deviceId = deviceOrManual(given, oldDevice);
      if (oldDevice !== deviceId) {
        const holder = await tankWithDevice(tx, organizationNo, deviceId);
        if (holder !== undefined && exchange === undefined)
          throw conflict('This device is on another tank. Send `exchange` to say what that tank gets.', holder);
        if (exchange && 'replacement' in exchange) {
          const other = await tankWithDevice(tx, organizationNo, exchange.replacement);
          if (other !== undefined) throw conflict('The replacement is on another tank.', other);
        }
        await assignDevice(tx, organizationNo, current.no, deviceId, exchange);
        const isSwapped = holder !== undefined && exchange !== undefined && 'swap' in exchange;
        if (body['revoke_old'] === true && !isSwapped && !isPlaceholderDevice(oldDevice) && !isManualDevice(oldDevice))
          await revokeDevice(tx, organizationNo, oldDevice);
      }
      return answerWithTank(tx, organizationNo, { no: current.no }, 200);
    },
  },
  {
    kind: 'write',
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
    who: WHO,
    parameters: { dry_run: dryRun },
    item: Password,
    example: PASSWORD_EXAMPLE,
    statuses: [200],
    line: 'catalog',
    body: Type.Object(
      { rotate: Type.Optional(Type.Boolean({ description: 'Whether the device gets a new password.' })) },
      { title: 'PasswordRequest', ...closed },
    ),
    condition: 'none',
    async handle({ tx, organizationNo, path: { id = '' }, body, deviceSecrets, isDryRun }) {
      if (deviceSecrets === null) throw notFound('path');
      const [device] = await devicesToIssue(tx, organizationNo, [id]);
      if (device === undefined || !device.is_known) throw notFound('device');
      if (isManualDevice(id)) throw conflict('A tank without a sensor has no device with a password.');
      if (isPlaceholderDevice(id)) throw conflict('A placeholder has no password. Put a device on the tank first.');
      const isRotated = body['rotate'] === true;
      if (device.revoked_at !== null && !isRotated)
        throw conflict('This device is revoked. Send `rotate` to give it a new password.');
      const generation = isRotated ? (await rotateDevice(tx, organizationNo, id)).generation : device.generation;
      await recordIssues(tx, organizationNo, [device]);
      const { code } = await lockOrganization(tx, organizationNo);
      const secret = await readDeviceSecret(tx, deviceSecrets, { no: organizationNo, code });
      const answer: Static<typeof Password> = {
        object: 'device_password',
        device_id: id,
        user_name: deviceUserName(code, id),
        password: isDryRun ? null : devicePassword(secret, id, generation),
        generation,
      };
      return {
        status: 200,
        body: answer,
        ...(device.tank_no === null ? {} : { about: { object: 'tank', no: device.tank_no } }),
      };
    },
  },
];
