import type { Command } from 'commander';
import type { TankGauge } from '../../gauges/gauge_schema.ts';
import { decodeGaugeMessage, findFrame } from '../../gauges/profiles/decode_message.ts';
import type { GaugeProfile } from '../../gauges/profiles/profile.ts';
import { channelOf, isLevelName } from '../../gauges/profiles/quantities.ts';
import { gaugeMessage, readMessage } from '../../gauges/read_message.ts';
import { findGaugeProblems, gaugePercentage } from '../../gauges/tank_gauge.ts';
import type { RawMessage } from '../../telemetry/raw_message.ts';
import { type DeviceReading, readingFields } from '../../telemetry/reading.ts';
import { refuseProblems } from '../../values/change_refusal.ts';
import {
  type CommonOptions,
  formatRecords,
  type OrganizationOption,
  parseWhole,
  printResult,
  readCommand,
} from '../command.ts';
import { addGaugeOptions, type DescribedGauge, gaugeOf } from '../gauge_options.ts';
import { readInput } from '../input_file.ts';
import { findProfile, profileOrganizationOption, readProfileFile } from './given_profile.ts';

interface TryOptions extends CommonOptions, Partial<OrganizationOption>, DescribedGauge {
  profile: string;
  port?: number;
  device: string;
}

export function tryCommand(): Command {
  const example = 'gauges try 0cf00aef --profile my-gauge.json --port 2';
  const command = readCommand('try', 'read a message by a profile and show the result; nothing is stored', example)
    .argument(
      '<message>',
      'the message: bytes as hexadecimal digits or base64, JSON, a text, or a file with one of them (- for standard input)',
    )
    .requiredOption('--profile <profile>', 'name of a profile, or a file that ends with .json')
    .option('--port <n>', 'port of the uplink', parseWhole(0, 255))
    .option('--device <id>', 'device that sent the message', 'DEVICE')
    .addOption(profileOrganizationOption());
  return addGaugeOptions(command)
    .addHelpText('after', '\nWith --form and its options, also shows the level of a tank with this gauge.')
    .action(async (message: string, options: TryOptions) => {
      const { profile: name, port = null, device, organization, form } = options;
      const gauge = form === undefined ? undefined : gaugeOf(form, options);
      if (gauge !== undefined) refuseProblems(findGaugeProblems(gauge));
      const profile = name.endsWith('.json') ? await readProfileFile(name) : await findProfile(name, organization);
      const payload = await messageBytes(message, profile);
      const now = Date.now();
      const sent: RawMessage = { deviceId: device, port, payload, rejectedAs: () => ({ raw: payload, format: '' }) };
      const {
        readings,
        rejections,
        health = [],
      } = readMessage({ profile, settings: null, mayNameDevices: true }, sent, { receivedAtMs: now, nowMs: now });
      const result = {
        readings: readings.map((reading) => ({
          device_id: reading.deviceId,
          ...readingFields(reading),
          ...levelFields(gauge, reading),
          created_at: new Date(reading.atMs).toISOString(),
        })),
        rejected: rejections.map(({ deviceId, code, detail }) => ({ device_id: deviceId, code, detail })),
        health: health.map(({ at_ms: _at, profile: _profile, has_level: _level, ...values }) => values),
        others: othersOf(profile, sent),
      };
      const isEmpty = Object.values(result).every((list) => list.length === 0);
      const text = Object.entries(result).flatMap(([kind, list]) =>
        list.map((entry) => `${kind}: ${formatRecords([entry])}`),
      );
      const missing = readings.length + rejections.length === 0 ? levelNames(profile, sent) : [];
      if (missing.length > 0 && !isEmpty)
        text.push(`There is no level: ${missing.join(', ')} is not in the message, which may be too short.`);
      const isPortMissing = port === null && rejections.length > 0 && profile.frames.some(({ when }) => when?.port);
      if (isPortMissing) text.push('The profile looks at the port of the uplink: give it with --port.');
      printResult(
        options,
        result,
        isEmpty ? 'ignored: the profile knows the message, but the message has no reading' : text.join('\n'),
      );
    });
}

/** The level of a tank with this gauge, or why there is none. */
function levelFields(gauge: TankGauge | undefined, { measure }: DeviceReading): Record<string, number | string> {
  if (gauge === undefined || measure === undefined) return {};
  const level = gaugePercentage(gauge, measure);
  return typeof level === 'number' ? { level_percentage: level } : { no_level: level.detail };
}

/** The names of the levels that a message of this form has. */
function levelNames(profile: GaugeProfile, sent: RawMessage): string[] {
  const fields = findFrame(profile, gaugeMessage(profile, sent))?.fields ?? {};
  return Object.keys(fields).filter((name) => isLevelName(channelOf(name)[0]));
}

/** Values that are only shown: alarms, and those whose names begin with _. */
function othersOf(profile: GaugeProfile, sent: RawMessage): Record<string, unknown>[] {
  const decoded = decodeGaugeMessage(profile, gaugeMessage(profile, sent));
  if (decoded.outcome !== 'reports') return [];
  return decoded.reports
    .map(({ others, health: { alarm } }) => (alarm === undefined ? others : { alarm, ...others }))
    .filter((values) => Object.keys(values).length > 0);
}

/**
 * The message is a file, or the argument itself: bytes as documents and network servers show them (hexadecimal digits or base64),
 * JSON, or a text with the separator of the profile.
 */
async function messageBytes(given: string, { input, split = '' }: GaugeProfile): Promise<Buffer> {
  const isBinary = input === 'bytes';
  const typed = isBinary ? hexBytes(given) : undefined;
  if (typed !== undefined) return typed;
  const content = await readInput(given).catch((error: unknown) => {
    const isTyped = isBinary ? isBase64(given) : input === 'json' ? /^\s*[[{]/.test(given) : given.includes(split);
    if (!isTyped) throw error;
    return Buffer.from(given, isBinary ? 'base64' : 'utf8');
  });
  if (!isBinary) return content;
  const text = content.toString('latin1').trim();
  return hexBytes(text) ?? (isBase64(text) ? Buffer.from(text, 'base64') : content);
}

function hexBytes(text: string): Buffer | undefined {
  const digits = text.replaceAll(/0x|[\s:,-]/gi, '');
  return /^([0-9a-f]{2})+$/i.test(digits) ? Buffer.from(digits, 'hex') : undefined;
}

const isBase64 = (text: string): boolean =>
  /^([\w+/]{4})+$/.test(text.replace(/={1,2}$/, (end) => 'A'.repeat(end.length)));
