import { Command } from 'commander';
import { recordCommand } from '../catalog/audit_log.ts';
import {
  type DeviceCredential,
  deviceCredential,
  listDevices,
  revokeDevice,
  rotateDevice,
  tankOfDevice,
} from '../catalog/devices.ts';
import { readDeviceSecrets } from '../config.ts';
import type { Db } from '../db/pool.ts';
import { devicePassword, deviceUserName } from '../keys/device_password.ts';
import { readDeviceSecret } from '../keys/own_secrets.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  limitOption,
  type OrganizationOption,
  organizationNo,
  organizationOption,
  printResult,
  printRows,
  readCommand,
  recordedCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';

type Options = WriteOptions & OrganizationOption & { quiet?: boolean };

export function devicesCommand(): Command {
  return new Command('devices')
    .description('devices: their credentials and their last reading')
    .addCommand(issueCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
    .addCommand(listCommand());
}

function issueCommand(): Command {
  return recordedCommand(
    'issue',
    'show the credentials of a device; they stay the same until they are rotated',
    'devices issue ABCD1234 --organization a0gas',
  )
    .argument('<device>', 'serial of the device')
    .addOption(organizationOption())
    .option('--quiet', 'print only the password')
    .action((device: string, options: Options) =>
      withDatabase(async ({ pool }) => {
        const organization = await organizationRef(pool, options.organization);
        const credential = await deviceCredential(pool, organization.no, device);
        if (credential.revoked_at)
          throw new UserError(`device ${device} is revoked; to allow it again: tankwatch devices rotate ${device}`);
        const tank = await tankOfDevice(pool, organization.no, device);
        await runChange(pool, options, (tx) =>
          recordCommand(tx, {
            organizationNo: organization.no,
            object: 'tank',
            action: 'issue',
            fields: ['device_password'],
            objectNos: tank === undefined ? [] : [tank],
          }),
        );
        await printCredentials(pool, options, organization, device, credential);
      }),
    );
}

function rotateCommand(): Command {
  return writeCommand(
    'rotate',
    'give a device a new password; the old one stops working at once',
    'devices rotate ABCD1234 --organization a0gas',
  )
    .argument('<device>', 'serial of the device')
    .addOption(organizationOption())
    .option('--quiet', 'print only the password')
    .action((device: string, options: Options) =>
      withDatabase(async ({ pool }) => {
        const credential = await runChange(pool, options, async (tx) =>
          rotateDevice(tx, await organizationNo(tx, options.organization), device),
        );
        const organization = await organizationRef(pool, options.organization);
        await printCredentials(pool, options, organization, device, credential);
      }),
    );
}

function revokeCommand(): Command {
  return writeCommand(
    'revoke',
    'refuse the connections of a device from now on',
    'devices revoke ABCD1234 --organization a0gas',
  )
    .argument('<device>', 'serial of the device')
    .addOption(organizationOption())
    .action((device: string, options: Options) =>
      withDatabase(async ({ pool }) => {
        const { revoked_at } = await runChange(pool, options, async (tx) =>
          revokeDevice(tx, await organizationNo(tx, options.organization), device),
        );
        printResult(options, { device_id: device, revoked_at }, `revoked the device ${device}`);
      }),
    );
}

function listCommand(): Command {
  return readCommand(
    'list',
    'list devices with the time of their last reading, oldest first',
    'devices list --organization a0gas',
  )
    .addOption(organizationOption())
    .addOption(limitOption())
    .action((options: CommonOptions & OrganizationOption & { limit: number }) =>
      withDatabase(async ({ pool }) =>
        printRows(options, await listDevices(pool, await organizationNo(pool, options.organization), options.limit)),
      ),
    );
}

const organizationRef = async (db: Db, code: string): Promise<{ no: number; code: string }> => ({
  no: await organizationNo(db, code),
  code,
});

async function printCredentials(
  db: Db,
  options: Options,
  organization: { no: number; code: string },
  device: string,
  { generation }: DeviceCredential,
): Promise<void> {
  const secret = await readDeviceSecret(db, readDeviceSecrets(process.env), organization);
  const password = devicePassword(secret, device, generation);
  const username = deviceUserName(organization.code, device);
  if (options.quiet) console.log(password);
  else printResult(options, { username, password, generation }, `user name: ${username}\npassword:  ${password}`);
}
