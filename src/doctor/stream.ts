import type { ConsumerInfo, StreamInfo } from '@nats-io/jetstream';
import type { DoctorConfig } from '../settings/command_settings.ts';
import type { StreamConfig } from '../settings/stream_settings.ts';
import type { StreamInspection } from '../stream/inspect.ts';
import { LOW_FRACTION, measureStreamRate, type StreamRate } from '../stream/stream_rate.ts';
import { problemAndRemedy } from '../values/error_reason.ts';
import { amount } from '../values/text_format.ts';
import { HOUR_MS, MINUTE_MS } from '../values/time.ts';
import { type CheckFinding, finding, type NotChecked, notConfigured, warning } from './finding.ts';

export const NATS_SETTING = 'OPERATOR_NATS_URL or NATS_URL';

/** Checks nats-server, the stream, and how far writers are behind. */
export async function checkStream({
  stream: config,
  keepMs,
}: Pick<DoctorConfig, 'stream' | 'keepMs'>): Promise<CheckFinding[] | NotChecked> {
  if (config === null) return notConfigured(NATS_SETTING);
  return withInspection(config, async (inspection) => {
    const stream = await inspection.streamInfo();
    if (stream === undefined) {
      return [
        finding(
          `the stream ${config.name} does not exist`,
          'start a gateway or a writer, which creates it; check NATS_STREAM. If the stream was deleted, readings that were not stored yet are lost',
        ),
      ];
    }
    const consumer = await inspection.consumerInfo();
    return [
      ...(await versionFindings(inspection.version)),
      ...safetyFindings(stream),
      ...accountFindings(await inspection.hasSharedAccount()),
      ...sizeFindings(stream.state.bytes, stream.config.max_bytes),
      ...rateFindings(await findRate(inspection, stream), keepMs),
      ...(await findLag(inspection, stream, consumer)),
    ];
  });
}

/** Runs the check, or reports that nats-server cannot be used. The client library is loaded only here. */
export async function withInspection(
  config: StreamConfig,
  check: (inspection: StreamInspection) => Promise<CheckFinding[] | NotChecked>,
  ifUnavailable = (found: CheckFinding): CheckFinding[] | NotChecked => [found],
): Promise<CheckFinding[] | NotChecked> {
  const { inspectStream } = await import('../stream/inspect.ts');
  let inspection: StreamInspection | undefined;
  try {
    inspection = await inspectStream(config);
    return await check(inspection);
  } catch (error) {
    const { problem, remedy } = problemAndRemedy(
      error,
      `check that it runs, with JetStream, and that address, user and password in ${NATS_SETTING} are correct`,
    );
    return ifUnavailable(finding(`nats-server cannot be used: ${problem}`, remedy));
  } finally {
    await inspection?.close();
  }
}

async function versionFindings(version: string): Promise<CheckFinding[]> {
  const { compareVersions, SAFE_VERSION } = await import('../stream/connection.ts');
  if (compareVersions(version, SAFE_VERSION) >= 0) return [];
  return [
    finding(
      `nats-server ${version} can lose acknowledged messages when its process crashes`,
      `upgrade nats-server to ${SAFE_VERSION} or newer; the stream stays`,
    ),
  ];
}

/** Finds changed settings with which the stream may lose readings that are not stored yet. */
function safetyFindings({ config }: StreamInfo): CheckFinding[] {
  const unsafe = [
    ...(config.storage === 'file' ? [] : ['it is in memory']),
    ...(config.discard === 'new' ? [] : ['it drops the oldest messages when it is full']),
    ...(config.max_age === 0 ? [] : ['it drops messages by age']),
    ...(config.max_msgs === -1 ? [] : ['it has a maximum number of messages']),
  ];
  if (unsafe.length === 0) return [];
  return [
    finding(
      `the stream ${config.name} can lose acknowledged readings: ${unsafe.join(', ')}`,
      'restart a writer, which sets the stream to safe settings; if it cannot, see its log',
    ),
  ];
}

const accountFindings = (isShared: boolean): CheckFinding[] =>
  isShared
    ? [
        warning(
          'all users of nats-server are in one account, so a gateway that was broken into can purge the stream',
          'use the accounts of deploy/nats.conf; docs/operators/upgrade.md says how to move the stream',
        ),
      ]
    : [];

/** Writers trim the stream above 80 %. A stream that stays above it holds readings that are not stored. */
const NEARLY_FULL = 0.85;
const FULL = 0.97;

export function sizeFindings(bytes: number, maxBytes: number): CheckFinding[] {
  const share = bytes / maxBytes;
  if (share < NEARLY_FULL) return [];
  const percent = `${Math.min(100, Math.floor(share * 100))} %`;
  const remedy =
    'check that writers run and store readings; then raise STREAM_MAX_MIB of all gateways and writers, and max_file_store of nats-server';
  return share < FULL
    ? [warning(`the stream is ${percent} full; when it is full, gateways refuse readings`, remedy)]
    : [finding(`the stream is ${percent} full: gateways refuse readings`, remedy)];
}

function findRate(inspection: StreamInspection, stream: StreamInfo): Promise<StreamRate | null> {
  const size = {
    messages: stream.state.messages,
    bytes: stream.state.bytes,
    maxBytes: stream.config.max_bytes,
    firstSequence: stream.state.first_seq,
    serverTimeMs: stream.ts === undefined ? Date.now() : Date.parse(stream.ts),
  };
  return measureStreamRate(size, (sequence) => inspection.storedAtMs(sequence));
}

const MIB = 1_048_576;

/** Finds a stream that is too small for its rate: a replay then reaches back less than STREAM_KEEP_DAYS. */
export function rateFindings(rate: StreamRate | null, keepMs: number): CheckFinding[] {
  const keepHours = keepMs / HOUR_MS;
  if (rate === null || rate.keepsHours >= keepHours) return [];
  const wantedMib = Math.ceil((rate.bytesPerHour * keepHours) / LOW_FRACTION / MIB);
  return [
    warning(
      `at today's rate the stream keeps ${hours(rate.keepsHours)} of stored readings instead of the ${hours(keepHours)} of STREAM_KEEP_DAYS, and is full ${hours(rate.hoursUntilFull)} after the last writer stops`,
      `set STREAM_MAX_MIB of all gateways and writers to at least ${wantedMib}, and max_file_store of nats-server above it; or lower STREAM_KEEP_DAYS of writers and doctor`,
    ),
  ];
}

const hours = (n: number): string => (n < 10 ? `${n.toFixed(1)} hours` : `${Math.floor(n).toLocaleString('en')} hours`);

async function findLag(
  inspection: StreamInspection,
  stream: StreamInfo,
  consumer: ConsumerInfo | undefined,
): Promise<CheckFinding[]> {
  const waiting = waitingMessages(stream, consumer);
  if (waiting === 0) return [];
  const first = Math.max(stream.state.first_seq, (consumer?.ack_floor.stream_seq ?? 0) + 1);
  const storedAtMs = await inspection.storedAtMs(first);
  const serverTimeMs = stream.ts === undefined ? Date.now() : Date.parse(stream.ts);
  return storedAtMs === undefined ? [] : lagFindings(waiting, serverTimeMs - storedAtMs);
}

export const waitingMessages = (stream: StreamInfo, consumer: ConsumerInfo | undefined): number =>
  consumer === undefined ? stream.state.messages : consumer.num_pending + consumer.num_ack_pending;

const SLOW_MS = MINUTE_MS;
const STUCK_MS = 10 * MINUTE_MS;

export function lagFindings(waiting: number, oldestMs: number): CheckFinding[] {
  if (oldestMs < SLOW_MS) return [];
  const problem = `readings are stored late: ${amount(waiting, 'messages')} waiting, the oldest for ${Math.floor(oldestMs / MINUTE_MS)} min`;
  const remedy = 'check that writers run and are ready; if they are busy, start another one or raise WRITER_LANES';
  return [oldestMs < STUCK_MS ? warning(problem, remedy) : finding(problem, remedy)];
}
