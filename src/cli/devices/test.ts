import { type Command, InvalidArgumentError, Option } from 'commander';
import { devicesToIssue } from '../../catalog/devices.ts';
import { devicePassword } from '../../keys/device_password.ts';
import { readDeviceSecret } from '../../keys/own_secrets.ts';
import { readDeviceSecrets, readMqttUrl } from '../../settings/command_settings.ts';
import { mqttIdentity, readingsMessage } from '../../simulation/device_login.ts';
import { reasonOf } from '../../values/error_reason.ts';
import { UserError } from '../../values/user_error.ts';
import {
  type CommonOptions,
  type OrganizationOption,
  organizationOption,
  printResult,
  readCommand,
  readOrganization,
} from '../command.ts';

type Options = CommonOptions & OrganizationOption & { fill: number; url?: string };

const CONNECT_MS = 10_000;

export function testCommand(): Command {
  return readCommand(
    'test',
    'send one reading over MQTT as a device would, with its password, and wait until the gateway has stored it',
    'devices test ABCD1234 --organization a0gas --fill 45.5',
  )
    .argument('<device>', 'serial of the device')
    .addOption(organizationOption())
    .addOption(
      new Option('--fill <percentage>', 'the level to report; it is stored like any other reading')
        .argParser(parsePercentage)
        .makeOptionMandatory(),
    )
    .option('--url <url>', 'address of the gateway, mqtt:// or mqtts:// (default: GATEWAY_MQTT_PORT of this machine)')
    .action(sendTestReading);
}

async function sendTestReading(deviceId: string, options: Options): Promise<void> {
  const url = options.url ?? readMqttUrl(process.env);
  const secrets = readDeviceSecrets(process.env);
  const login = await readOrganization(options, async (pool, no) => {
    const organization = { no, code: options.organization };
    const [device] = await devicesToIssue(pool, no, [deviceId]);
    if (device === undefined || !device.is_known)
      throw new UserError(`the device ${deviceId} was never on a tank; assign it to a tank first.`);
    const secret = await readDeviceSecret(pool, secrets, organization);
    const password = devicePassword(secret, deviceId, device.generation);
    return { organizationCode: organization.code, deviceId, password };
  });
  const { connectAsync } = await import('mqtt'); // takes 100 ms to load
  const { topic, payload } = readingsMessage(login, [{ atMs: Date.now(), fillPercentage: options.fill }]);
  const settings = { ...mqttIdentity(login), reconnectPeriod: 0, connectTimeout: CONNECT_MS };
  const client = await connectAsync(url, settings, false).catch((error: unknown) => {
    throw new UserError(
      `the gateway at ${url} did not accept the device: ${reasonOf(error)}; check that it runs, and that --url has its host and its port for MQTT`,
    );
  });
  try {
    const closed = new Promise<never>((_, reject) => {
      client.once('close', () => reject(new UserError(`the gateway at ${url} closed the connection; see its log.`)));
    });
    await Promise.race([client.publishAsync(topic, payload, { qos: 1 }), closed]);
  } finally {
    client.removeAllListeners('close');
    await client.endAsync(true);
  }
  printResult(
    options,
    { device_id: deviceId, fill_percentage: options.fill, url },
    `the gateway at ${url} has stored ${payload}`,
  );
}

function parsePercentage(text: string): number {
  const value = Number(text);
  if (!/^\d{1,3}(\.\d)?$/.test(text) || value > 100)
    throw new InvalidArgumentError('Must be a number from 0 to 100 with at most one decimal, such as 45.5.');
  return value;
}
