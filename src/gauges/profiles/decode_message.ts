import { elementsAt, messageAround, valueAt } from '../../values/json_path.ts';
import { fieldValue, partOf, type Source } from './field_value.ts';
import { type Frame, type GaugeProfile, NUMBER_TYPES, type ProfileFields, type When } from './profile.ts';
import { type GaugeReport, hasLevel, newReport, ReportBuilder } from './report.ts';

/** A message of a gauge, as it arrived. */
export type GaugeMessage = { port?: number | undefined } & ({ bytes: Buffer } | { json: unknown } | { text: string });

export type DecodedMessage =
  | { outcome: 'reports'; reports: GaugeReport[] }
  /** The profile knows the message, and it has no reading. */
  | { outcome: 'ignored' }
  /** The profile does not know the message. `detail` is a sentence for the operator. */
  | { outcome: 'unknown'; detail: string };

const MAX_MESSAGE_BYTES = 512;
const MAX_TEXT_LENGTH = 4_096;
/** The same limit as for request bodies with readings. */
export const MAX_REPORTS = 1_000;
/** The longest history that a gauge sends has 28 readings. */
const MAX_REPORTS_OF_BYTES = 128;
/**
 * Limits the CPU time of a message with any profile: a value takes about a microsecond. The longest list of the profiles
 * that come with Tankwatch has 12,000 values.
 */
export const MAX_VALUES = 20_000;

/** Decodes a message by a profile that parseProfile has accepted. It has no I/O, runs no code of the profile, and never throws. */
export function decodeGaugeMessage(profile: GaugeProfile, message: GaugeMessage): DecodedMessage {
  const source = sourceOf(profile, message);
  if (typeof source === 'string') return unknownMessage(source);
  const frame = frameOf(profile, message, source);
  if (frame === undefined)
    return unknownMessage(`${describe(message)} fits no frame ${describeMisfits(profile, message, source)}.`);
  if (frame.ignore) return { outcome: 'ignored' };
  const budget = new ValueBudget();
  const decoded =
    source.input === 'json' && frame.each !== undefined
      ? decodeEach(frame, source.json, frame.each, budget)
      : decodeFrame(frame, source, budget);
  if (budget.isExceeded) return unknownMessage(`A message may have at most ${MAX_VALUES} values.`);
  if (typeof decoded === 'string') return unknownMessage(`${describe(message)} cannot be read: ${decoded}`);
  const maxReports = source.input === 'json' ? MAX_REPORTS : MAX_REPORTS_OF_BYTES;
  if (decoded.length > maxReports) return unknownMessage(`A message may have at most ${maxReports} reports.`);
  return { outcome: 'reports', reports: decoded };
}

const unknownMessage = (detail: string): DecodedMessage => ({ outcome: 'unknown', detail });

/** Counts the values that are read from one message. */
class ValueBudget {
  #left = MAX_VALUES;

  /** False if no more values may be read. */
  take(values: number): boolean {
    this.#left -= values;
    return !this.isExceeded;
  }

  get isExceeded(): boolean {
    return this.#left < 0;
  }
}

/** An element that cannot be read does not affect the others. An empty list is a page without readings; no list is an error. */
function decodeEach(frame: Frame, json: unknown, each: string, budget: ValueBudget): GaugeReport[] | string {
  const elements = elementsAt(json, each, MAX_REPORTS);
  if (elements === undefined) return `it has no ${each}.`;
  if (elements.length > MAX_REPORTS) return `it has more than ${MAX_REPORTS} reports.`;
  return elements.flatMap((element) => {
    const source: Source = { input: 'json', json: element };
    const decoded = decodeFrame(frame, source, budget);
    const reports =
      typeof decoded === 'string'
        ? [
            {
              ...newReport(),
              problem: `An element of ${each} cannot be read: ${decoded}`,
              deviceId: deviceOf(frame, source),
            },
          ]
        : decoded;
    const message = messageAround([element], each, frame.when?.json ?? {});
    return reports.map((report) => ({ ...report, message }));
  });
}

function sourceOf({ input, split }: GaugeProfile, message: GaugeMessage): Source | string {
  if (input === 'bytes' && 'bytes' in message)
    return message.bytes.length > MAX_MESSAGE_BYTES
      ? `A message may have at most ${MAX_MESSAGE_BYTES} bytes.`
      : { input, bytes: message.bytes, from: 0 };
  if (input === 'json' && 'json' in message) return { input, json: message.json };
  if (input === 'text' && split !== undefined && 'text' in message)
    return message.text.length > MAX_TEXT_LENGTH
      ? `A message may have at most ${MAX_TEXT_LENGTH} characters.`
      : { input, parts: message.text.trim().split(split) };
  return `The profile reads ${input}, which this message does not have.`;
}

const frameOf = ({ frames }: GaugeProfile, message: GaugeMessage, source: Source): Frame | undefined =>
  frames.find(({ when }) => findMisfit(when, message, source) === undefined);

/** The frame that reads a message. */
export function findFrame(profile: GaugeProfile, message: GaugeMessage): Frame | undefined {
  const source = sourceOf(profile, message);
  return typeof source === 'string' ? undefined : frameOf(profile, message, source);
}

/** The first condition of a frame that a message does not meet. Undefined if it meets all. */
function findMisfit(when: When | undefined, message: GaugeMessage, source: Source): string | undefined {
  const { port, length, bytes, json } = when ?? {};
  if (port !== undefined && port !== message.port) return `port ${port}`;
  if (source.input === 'bytes') {
    if (length !== undefined && source.bytes.length !== length) return `${length} bytes`;
    for (const [at, hex] of Object.entries(bytes ?? {}))
      if (source.bytes.toString('hex', Number(at), Number(at) + hex.length / 2) !== hex) return `${hex} at byte ${at}`;
  }
  if (source.input === 'json')
    for (const [path, value] of Object.entries(json ?? {}))
      if (valueAt(source.json, path) !== value) return `${path} ${JSON.stringify(value)}`;
  return undefined;
}

const MAX_MISFITS = 4;

/** Describes the conditions of the frames of a profile that the message does not meet. */
function describeMisfits({ profile, frames }: GaugeProfile, message: GaugeMessage, source: Source): string {
  const needed = new Set(frames.map(({ when }) => findMisfit(when, message, source)));
  return `of the profile ${profile}, which has frames for ${[...needed].slice(0, MAX_MISFITS).join(' or ')}`;
}

/** The reports of one device, or the reason why they cannot be read. */
function decodeFrame(frame: Frame, source: Source, budget: ValueBudget): GaugeReport[] | string {
  const builder = new ReportBuilder();
  addFields(builder, source, frame.fields ?? {}, budget);
  const others: GaugeReport[] = [];
  let stoppedAt: string | undefined;
  if (source.input === 'bytes' && frame.tlv) stoppedAt = addTlv(builder, others, source.bytes, frame.tlv, budget);
  if (source.input === 'bytes' && frame.repeat)
    others.push(...readRepeated(builder, source.bytes, frame.repeat, budget));
  const reports = [...(frame.repeat ? [] : builder.reports()), ...others].filter(hasContent);
  if (reports.length === 0 && frame.fault === undefined) {
    return stoppedAt === undefined ? 'it has no value of the profile.' : `its tag ${stoppedAt} is not in the profile.`;
  }
  if (frame.fault !== undefined) for (const report of reports) report.fault ??= frame.fault;
  if (frame.fault !== undefined && reports.length === 0) {
    builder.device.fault = frame.fault;
    reports.push(builder.device);
  }
  const deviceId = deviceOf(frame, source);
  for (const report of reports) report.deviceId = deviceId;
  return reports;
}

const hasContent = (report: GaugeReport): boolean =>
  hasLevel(report) ||
  report.fault !== null ||
  Object.keys(report.health).length + Object.keys(report.others).length > 0;

function addFields(builder: ReportBuilder, source: Source, fields: ProfileFields, budget: ValueBudget): void {
  const entries = Object.entries(fields);
  if (!budget.take(entries.length)) return;
  for (const [name, field] of entries) builder.add(name, fieldValue(source, fields, field));
}

/** The reports of a repeated group, newest first. The newest report gets the health of the device. */
function readRepeated(
  device: ReportBuilder,
  bytes: Buffer,
  { from, stride, count, fields }: NonNullable<Frame['repeat']>,
  budget: ValueBudget,
): GaugeReport[] {
  const reports: GaugeReport[] = [];
  for (let age = 0; age < count && from + age * stride < bytes.length; age++) {
    const builder = new ReportBuilder(age);
    addFields(builder, { input: 'bytes', bytes, from: from + age * stride }, fields, budget);
    const { health, others, fault } = device.device;
    for (const report of builder.reports()) {
      reports.push({
        ...report,
        fault: report.fault ?? fault,
        health: age === 0 ? { ...health, ...report.health } : report.health,
        others: age === 0 ? { ...others, ...report.others } : report.others,
      });
    }
  }
  return reports;
}

/**
 * Reads tag after tag. Earlier readings are added to `others`. Returns the tag at which reading stopped because its length is not known.
 */
function addTlv(
  builder: ReportBuilder,
  others: GaugeReport[],
  bytes: Buffer,
  { tag: tagBytes, prefix, items, skip = {} }: NonNullable<Frame['tlv']>,
  budget: ValueBudget,
): string | undefined {
  const hasLength = prefix === 'length';
  let at = 0;
  while (at < bytes.length && budget.take(1)) {
    const tagAt = at + (hasLength ? 1 : 0);
    const tag = bytes.toString('hex', tagAt, tagAt + tagBytes);
    const from = tagAt + tagBytes;
    const fields = Object.hasOwn(items, tag) ? items[tag] : undefined;
    const knownLength = fields === undefined ? skip[tag] : sizeOf(fields);
    const length = hasLength ? (bytes[at] ?? 0) - tagBytes : knownLength;
    if (length === undefined || length < 0) return tag;
    if (fields !== undefined) {
      const source: Source = { input: 'bytes', bytes: bytes.subarray(0, from + length), from };
      // A value with a time is a separate, earlier reading.
      if (Object.hasOwn(fields, 'time')) {
        const past = new ReportBuilder();
        addFields(past, source, fields, budget);
        others.push(...past.reports());
      } else addFields(builder, source, fields, budget);
    }
    at = from + length;
  }
  return undefined;
}

const sizeOf = (fields: ProfileFields): number =>
  Math.max(0, ...Object.values(fields).map(({ at = 0, type = 'u8' }) => at + NUMBER_TYPES[type]));

/**
 * The id of the device by the template of the frame. Null if there is no template: the sender then identifies the
 * device. Empty if a part of the name is missing: such a device is rejected.
 */
function deviceOf({ device: template }: Frame, source: Source): string | null {
  if (template === undefined) return null;
  let isComplete = true;
  const name = template.replaceAll(/\{([^{}]+)\}/g, (_, place: string) => {
    const value = namePartOf(source, place);
    isComplete &&= value !== undefined && value !== '';
    return String(value);
  });
  return isComplete ? name : '';
}

function namePartOf(source: Source, place: string): string | number | undefined {
  if (source.input === 'text') return partOf(source.parts, /^[0-9]+$/.test(place) ? Number(place) : place);
  return source.input === 'json' ? scalarAt(source.json, place) : undefined;
}

function scalarAt(json: unknown, path: string): string | number | undefined {
  const value = valueAt(json, path);
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

const describe = (message: GaugeMessage): string =>
  'bytes' in message
    ? `The message of ${message.bytes.length} bytes on port ${message.port ?? 'none'} (${message.bytes.toString('hex', 0, 8)})`
    : 'The message';
