import { type Command, InvalidArgumentError } from 'commander';
import { decodeGaugeMessage } from '../../gauges/profiles/decode_message.ts';
import type { GaugeProfile } from '../../gauges/profiles/profile.ts';
import { gaugeMessage, readMessage } from '../../gauges/read_message.ts';
import type { RawMessage } from '../../telemetry/raw_message.ts';
import { readingFields } from '../../telemetry/reading.ts';
import { type CommonOptions, formatRecords, type OrganizationOption, printResult, readCommand } from '../command.ts';
import { readInput } from '../input_file.ts';
import { namedProfile, ofOrganization, profileFile } from './given_profile.ts';

interface TryOptions extends CommonOptions, Partial<OrganizationOption> {
  profile: string;
  port?: number;
  device: string;
}

export function tryCommand(): Command {
  const example = 'gauges try 0cf00aef --profile my-gauge.json --port 2';
  return readCommand('try', 'read a message by a profile and show the result; nothing is stored', example)
    .argument('<message>', 'file with the message (- for standard input), or its bytes as hexadecimal digits')
    .requiredOption('--profile <profile>', 'name of a profile, or a file that ends with .json')
    .option('--port <n>', 'port of the uplink', parsePort)
    .option('--device <id>', 'device that sent the message', 'DEVICE')
    .addOption(ofOrganization())
    .action(async (message: string, options: TryOptions) => {
      const { profile: name, port = null, device, organization } = options;
      const profile = name.endsWith('.json') ? await profileFile(name) : await namedProfile(name, organization);
      const payload = await messageBytes(message, profile.input === 'bytes');
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
          created_at: new Date(reading.atMs).toISOString(),
        })),
        rejected: rejections.map(({ deviceId, code, detail }) => ({ device_id: deviceId, code, detail })),
        health: health.map(({ at_ms: _at, profile: _profile, has_level: _level, ...values }) => values),
        others: othersOf(profile, sent),
      };
      const isEmpty = Object.values(result).every((list) => list.length === 0);
      const text = Object.entries(result).flatMap(([kind, list]) =>
        list.map((one) => `${kind}: ${formatRecords([one])}`),
      );
      printResult(
        options,
        result,
        isEmpty ? 'ignored: the profile knows the message, and it has no reading' : text.join('\n'),
      );
    });
}

/** Values that are only shown: alarms, and those whose names begin with _. */
function othersOf(profile: GaugeProfile, sent: RawMessage): Record<string, unknown>[] {
  const decoded = decodeGaugeMessage(profile, gaugeMessage(profile, sent));
  if (decoded.outcome !== 'reports') return [];
  return decoded.reports
    .map(({ others, health: { alarm } }) => (alarm === undefined ? others : { alarm, ...others }))
    .filter((values) => Object.keys(values).length > 0);
}

function parsePort(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 255) throw new InvalidArgumentError('Must be a number from 0 to 255.');
  return Number(text);
}

/** Bytes may be given as digits, because that is how documents and network servers show them. */
async function messageBytes(given: string, isBinary: boolean): Promise<Buffer> {
  const digits = (text: string): Buffer | undefined => {
    const compact = text.replaceAll(/\s/g, '');
    return isBinary && /^([0-9a-f]{2})+$/i.test(compact) ? Buffer.from(compact, 'hex') : undefined;
  };
  const typed = digits(given);
  if (typed !== undefined) return typed;
  const content = await readInput(given);
  return digits(content.toString('latin1')) ?? content;
}
