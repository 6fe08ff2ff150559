import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { Command, InvalidArgumentError, Option } from 'commander';
import { builtInProfiles } from '../gauges/built_in_profiles.ts';
import {
  assignProfile,
  checkGaugeProfile,
  findGaugeProfile,
  listGaugeProfiles,
  listProfileAssignments,
  removeGaugeProfile,
  setGaugeProfile,
  unassignProfile,
} from '../gauges/gauge_changes.ts';
import { decodeGaugeMessage } from '../gauges/profiles/decode_message.ts';
import type { GaugeProfile } from '../gauges/profiles/profile.ts';
import { gaugeMessage, readMessage } from '../gauges/read_message.ts';
import type { RawMessage } from '../telemetry/payload_formats.ts';
import { readingFields } from '../telemetry/reading.ts';
import { parseJson } from '../values/json.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  changeOrganization,
  formatRecords,
  type OrganizationOption,
  organizationNo,
  organizationOption,
  printResult,
  printRows,
  readCommand,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';
import { fileError } from './input_file.ts';

type Options = WriteOptions & OrganizationOption;

export function gaugesCommand(): Command {
  return new Command('gauges')
    .description('gauges: profiles that say how the messages of a model of device are read')
    .addCommand(listProfilesCommand())
    .addCommand(showCommand())
    .addCommand(tryCommand())
    .addCommand(addCommand())
    .addCommand(removeCommand())
    .addCommand(assignCommand())
    .addCommand(unassignCommand())
    .addCommand(assignmentsCommand());
}

const PROFILE = ['<profile>', 'name of the profile, from: tankwatch gauges list'] as const;
const SELECTOR = [
  '<selector>',
  'topic=oil, device=A84041*, model=dragino/ldds75 or application=tanks; the first that fits counts, in this order',
] as const;
const ofOrganization = (): Option => new Option('--organization <code>', 'also the profiles of this organization');

function listProfilesCommand(): Command {
  return readCommand('list', 'list the profiles, and the models that each reads without an assignment', 'gauges list')
    .addOption(ofOrganization())
    .action(async (options: CommonOptions & Partial<OrganizationOption>) => {
      const own = await ownProfiles(options.organization);
      const names = new Set(own.map(({ profile }) => profile));
      const row = (profile: GaugeProfile, of: string) => ({
        profile: profile.profile,
        maker: profile.maker,
        device: profile.device,
        models: (profile.models ?? []).join(' '),
        of,
      });
      printRows(options, [
        ...own.map((profile) => row(profile, options.organization ?? '')),
        ...[...builtInProfiles().values()]
          .filter(({ profile }) => !names.has(profile))
          .map((one) => row(one, 'Tankwatch')),
      ]);
    });
}

const ownProfiles = async (organization: string | undefined): Promise<GaugeProfile[]> =>
  organization === undefined
    ? []
    : withDatabase(async ({ pool }) =>
        (await listGaugeProfiles(pool, await organizationNo(pool, organization))).map(({ definition }) => definition),
      );

function showCommand(): Command {
  return readCommand('show', 'print a profile as JSON, to copy and change it', 'gauges show dragino-ldds75')
    .argument(...PROFILE)
    .addOption(ofOrganization())
    .action(async (name: string, options: CommonOptions & Partial<OrganizationOption>) => {
      console.log(JSON.stringify(await namedProfile(name, options.organization), null, 2));
    });
}

async function namedProfile(name: string, organization: string | undefined): Promise<GaugeProfile> {
  const profile =
    organization === undefined
      ? builtInProfiles().get(name)
      : await withDatabase(async ({ pool }) => findGaugeProfile(pool, await organizationNo(pool, organization), name));
  if (profile === undefined) throw new UserError(`there is no profile ${name}; see: tankwatch gauges list`);
  return profile;
}

interface TryOptions extends CommonOptions, Partial<OrganizationOption> {
  profile: string;
  port?: number;
  device: string;
}

function tryCommand(): Command {
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

const readInput = (path: string): Promise<Buffer> =>
  path === '-'
    ? buffer(process.stdin)
    : readFile(path).catch((error: unknown) => {
        throw fileError(error, path);
      });

async function profileFile(path: string): Promise<GaugeProfile> {
  const given = parseJson(await readInput(path));
  if (given === undefined) throw new UserError(`${path} is not valid JSON.`);
  return checkGaugeProfile(given);
}

function addCommand(): Command {
  return writeCommand(
    'add',
    'add a profile, or replace that of the same name',
    'gauges add my-gauge.json --organization a0gas',
  )
    .argument('<file>', 'JSON file with the profile; try it first with: tankwatch gauges try')
    .addOption(organizationOption())
    .action(async (file: string, options: Options) => {
      const given = await profileFile(file);
      const { profile, isNew } = await changeOrganization(options, (change) => setGaugeProfile(change, given));
      const text = `${isNew ? 'added' : 'replaced'} the profile ${profile.profile}; gateways use it within a second`;
      printResult(options, { profile: profile.profile, is_new: isNew }, text);
    });
}

function removeCommand(): Command {
  return writeCommand('remove', 'remove a profile of an organization', 'gauges remove my-gauge --organization a0gas')
    .argument(...PROFILE)
    .addOption(organizationOption())
    .action(async (name: string, options: Options) => {
      await changeOrganization(options, (change) => removeGaugeProfile(change, name));
      printResult(options, { profile: name }, `removed the profile ${name}`);
    });
}

function assignCommand(): Command {
  const example = "gauges assign 'device=A84041*' dragino-ldds75 --organization a0gas";
  return writeCommand('assign', 'read the messages of devices by a profile from now on', example)
    .argument(...SELECTOR)
    .argument(...PROFILE)
    .addOption(organizationOption())
    .option('--interval-minutes <n>', 'time between two readings of a message without times', parseMinutes)
    .option('--period-minutes <n>', 'time between two messages of the device', parseMinutes)
    .action(
      async (
        selector: string,
        profile: string,
        options: Options & { intervalMinutes?: number; periodMinutes?: number },
      ) => {
        const { intervalMinutes: interval, periodMinutes: period } = options;
        if ((interval === undefined) !== (period === undefined))
          throw new UserError('give both --interval-minutes and --period-minutes, or none.');
        const settings =
          interval === undefined || period === undefined
            ? null
            : { interval_minutes: interval, period_minutes: period };
        const { assignment } = await changeOrganization(options, (change) =>
          assignProfile(change, { selector, profile, settings }),
        );
        const text = `${assignment.selector} is read by ${profile}; replay what was rejected before with: tankwatch rejected replay --organization ${options.organization} --code malformed`;
        printResult(options, assignment, text);
      },
    );
}

function parseMinutes(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('Must be a number of minutes, at least 1.');
  return Number(text);
}

function unassignCommand(): Command {
  const example = "gauges unassign 'device=A84041*' --organization a0gas";
  return writeCommand('unassign', 'remove an assignment', example)
    .argument(...SELECTOR)
    .addOption(organizationOption())
    .action(async (selector: string, options: Options) => {
      await changeOrganization(options, (change) => unassignProfile(change, selector));
      printResult(options, { selector }, `removed the assignment of ${selector}`);
    });
}

function assignmentsCommand(): Command {
  return readCommand('assignments', 'list what profiles are assigned to', 'gauges assignments --organization a0gas')
    .addOption(organizationOption())
    .action((options: CommonOptions & OrganizationOption) =>
      withDatabase(async ({ pool }) =>
        printRows(options, await listProfileAssignments(pool, await organizationNo(pool, options.organization))),
      ),
    );
}
