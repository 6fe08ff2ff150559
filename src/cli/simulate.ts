import { type Command, InvalidArgumentError, Option } from 'commander';
import { readDeviceSecret } from '../keys/own_secrets.ts';
import { readDeviceSecrets, readMqttUrl } from '../settings/command_settings.ts';
import { readFleet } from '../simulation/fleet.ts';
import type { FleetProgress } from '../simulation/simulate.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../values/time.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  type OrganizationOption,
  organizationOption,
  parseWhole,
  printResult,
  readCommand,
  readOrganization,
} from './command.ts';

type Options = CommonOptions &
  OrganizationOption & { devices: number; url?: string; speed: number; seed: number; since: number; duration?: number };

const PROGRESS_MS = 2_000;
const MAX_TIMER_MS = 2 ** 31 - 1; // 24 days; Node fires a longer timer at once
const UNITS_MS: Readonly<Record<string, number>> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

export function simulateCommand(): Command {
  return readCommand(
    'simulate',
    'simulate the devices of an organization: each connects to the gateway and reports like a real device',
    'simulate --organization a0gas --devices 200 --speed 3600 --duration 10m',
  )
    .addOption(organizationOption())
    .option('--devices <n>', 'number of tanks, oldest first', parseWhole(1, 100_000), 100)
    .addOption(
      new Option(
        '--url <url>',
        'address of the gateway, mqtt:// or mqtts:// (default: GATEWAY_MQTT_PORT of this machine)',
      ).argParser(parseGatewayUrl),
    )
    .option('--speed <n>', 'simulated seconds per second, until the present is reached', parseWhole(1, 1_000_000), 60)
    .addOption(
      new Option('--since <duration>', 'start this long ago, or at the latest reading if that is later')
        .default(30 * DAY_MS, '30d')
        .argParser(parseDurationMs),
    )
    .option(
      '--seed <n>',
      'seed of the random numbers; the same seed gives the same readings',
      parseWhole(0, 2_147_483_647),
      1,
    )
    .addOption(
      new Option('--duration <duration>', 'stop after this time (default: on Ctrl-C)').argParser(parseDurationMs),
    )
    .addHelpText(
      'after',
      '\nThe readings are stored. Do not use this on an installation with real data.' +
        '\nDEVICE_SECRET must be that of the gateway. For mqtts:// with a private certificate authority, set NODE_EXTRA_CA_CERTS.',
    )
    .action(simulate);
}

async function simulate(options: Options): Promise<void> {
  const config = readDeviceSecrets(process.env);
  const devices = await readOrganization(options, async (pool, no) => {
    const organization = { no, code: options.organization };
    return readFleet(pool, organization, await readDeviceSecret(pool, config, organization), options.devices);
  });
  if (devices.length === 0)
    throw new UserError(
      `${options.organization} has no tank with a sensor; create one first, see: tankwatch tanks create --help`,
    );

  const { url = readMqttUrl(process.env), speed, seed, since: lookBackMs } = options;
  // Loaded here and not above: the MQTT client takes 100 ms to load, and the other commands do not need it.
  const { simulateFleet } = await import('../simulation/simulate.ts');
  const startedMs = Date.now();
  const simulation = simulateFleet({ url, devices, speed, seed, lookBackMs });
  const progressTimer = setInterval(() => console.error(describe(simulation.progress(), startedMs)), PROGRESS_MS);
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
    if (options.duration !== undefined) setTimeout(resolve, Math.min(options.duration, MAX_TIMER_MS)).unref();
  });
  clearInterval(progressTimer);
  const { simulatedMs, lastError, ...counts } = await simulation.stop();
  const summary = {
    ...counts,
    seconds: Math.round((Date.now() - startedMs) / 100) / 10,
    simulated_until: new Date(simulatedMs).toISOString(),
    ...(lastError === undefined ? {} : { last_error: lastError }),
  };
  printResult(options, summary, describe({ ...counts, simulatedMs, lastError }, startedMs));
  // In a short run, perhaps no report was due. The run then succeeded if every device is connected.
  if (counts.acknowledged < counts.sent || counts.connected < counts.devices) process.exitCode = 1;
}

function describe(progress: FleetProgress, startedMs: number): string {
  const { devices, connected, sent, acknowledged, resent, readings, simulatedMs, lastError } = progress;
  const perSecond = Math.round(acknowledged / Math.max(0.001, (Date.now() - startedMs) / 1_000));
  const number = (value: number): string => value.toLocaleString('en');
  return (
    `${new Date(simulatedMs).toISOString()}: ${number(sent)} reports sent, ${number(acknowledged)} acknowledged ` +
    `(${number(perSecond)}/s, ${number(readings)} readings), ${number(resent)} sent again; ` +
    `${number(connected)} of ${number(devices)} connected${lastError === undefined ? '' : ` (${lastError})`}`
  );
}

function parseGatewayUrl(text: string): string {
  if (!/^mqtts?:\/\/[^/]/.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('Write it like mqtt://localhost:1883 or mqtts://gateway.example.com.');
  return text;
}

function parseDurationMs(text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,4})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  if (unitMs === undefined || Number(amount) === 0)
    throw new InvalidArgumentError('Write it like 90s, 10m, 12h or 30d.');
  return Number(amount) * unitMs;
}
