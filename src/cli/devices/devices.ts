import { Command } from 'commander';
import { issuePassword, listDevices, revokeDevice } from '../../catalog/devices.ts';
import { readDeviceSecret } from '../../keys/own_secrets.ts';
import { readDeviceSecrets } from '../../settings/command_settings.ts';
import {
  type CommonOptions,
  changeOrganization,
  limitOption,
  type OrganizationOption,
  organizationOption,
  printResult,
  printRows,
  readCommand,
  readOrganization,
  runChange,
  type WriteOptions,
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
      readOrganization(options, async (pool, no) => {
        const organization = { no, code: options.organization };
        // Read first, because the old password ends with the change.
        const secret = await readDeviceSecret(pool, readDeviceSecrets(process.env), organization);
        const credential = await runChange(pool, options, (tx) => issuePassword(tx, no, device, { rotates: true }));
        printCredentials(options, credentialsOf(secret, organization.code, credential));
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
    .action(async (device: string, options: Options) => {
      const { revoked_at } = await changeOrganization(options, ({ tx, organizationNo }) =>
        revokeDevice(tx, organizationNo, device),
      );
      printResult(options, { device_id: device, revoked_at }, `revoked the device ${device}`);
    });
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
      readOrganization(options, async (pool, no) => printRows(options, await listDevices(pool, no, options.limit))),
    );
}
