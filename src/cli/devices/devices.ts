import { Command } from 'commander';
import { listDevices, revokeDevice, rotateDevice } from '../../catalog/devices.ts';
import { readDeviceSecret } from '../../keys/own_secrets.ts';
import { readDeviceSecrets } from '../../settings/command_settings.ts';
import {
  type CommonOptions,
  limitOption,
  type OrganizationOption,
  organizationNo,
  organizationOption,
  printResult,
  printRows,
  readCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from '../command.ts';
import { credentialsOf, issueCommand, printCredentials } from './issue.ts';
import { testCommand } from './test.ts';

type Options = WriteOptions & OrganizationOption & { quiet?: boolean };

export function devicesCommand(): Command {
  return new Command('devices')
    .description('devices: their credentials and their last reading')
    .addCommand(issueCommand())
    .addCommand(testCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
    .addCommand(listCommand());
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
        const organization = { no: await organizationNo(pool, options.organization), code: options.organization };
        const secret = await readDeviceSecret(pool, readDeviceSecrets(process.env), organization);
        printCredentials(options, credentialsOf(secret, organization.code, { device_id: device, ...credential }));
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
