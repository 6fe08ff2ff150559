import { setImmediate as nextTurn } from 'node:timers/promises';
import { readMessage } from '../gauges/read_message.ts';
import type { OrganizationGauges, SelectedProfile } from '../gauges/selection.ts';
import { formatName } from '../telemetry/format_query.ts';
import { firstBytes, type ParsedPayload } from '../telemetry/raw_message.ts';
import { writeJson } from '../values/json.ts';
import { elementsAt, messageAround } from '../values/json_path.ts';
import { SourceError } from './source_client.ts';

/** The number of items that are decoded in one turn of the event loop, about 2 ms, so that no source waits for a large page. */
const SLICE_ITEMS = 250;
const MAX_ITEMS = 20_000;

export interface ReadAnswer extends Required<ParsedPayload> {
  /** The number of readings or devices that the answer listed, including those that could not be read. */
  items: number;
}

/** Decodes an answer by a profile, as the gateway decodes a message. Throws a SourceError if it cannot be decoded. */
export async function readAnswer(
  gauges: OrganizationGauges,
  profileName: string,
  json: unknown,
  { deviceId, nowMs }: { deviceId: string | undefined; nowMs: number },
): Promise<ReadAnswer> {
  const selected = gauges.named(profileName);
  if (selected === undefined) throw new SourceError('failed', `there is no profile ${profileName}`);
  const format = formatName({ name: 'readings', profile: profileName, ...(deviceId !== undefined && { deviceId }) });
  const answer: ReadAnswer = { readings: [], rejections: [], health: [], items: 0 };
  for (const { message, items, hasTime } of slicesOf(selected, json)) {
    const parsed = readMessage(
      selected,
      {
        deviceId,
        payload: Buffer.alloc(0),
        decoded: message,
        // If the profile reads a time, a reading without a time is rejected and does not get the time of arrival.
        ...(hasTime && { receivedAt: '' }),
        rejectedAs: () => ({ raw: firstBytes(writeJson(message)), format }),
      },
      { receivedAtMs: nowMs, nowMs },
    );
    answer.readings.push(...parsed.readings);
    answer.rejections.push(...parsed.rejections);
    answer.health.push(...(parsed.health ?? []));
    answer.items += items;
    await nextTurn();
  }
  checkFields(answer, profileName);
  return answer;
}

interface Slice {
  message: unknown;
  items: number;
  hasTime: boolean;
}

function slicesOf({ profile }: SelectedProfile, json: unknown): Slice[] {
  const frame = profile.frames.find(({ each }) => each !== undefined);
  if (frame?.each === undefined) {
    const hasTime = profile.frames.some(({ fields }) => fields?.['time'] !== undefined);
    return [{ message: json, items: 1, hasTime }];
  }
  const { each, when, fields } = frame;
  const elements = elementsAt(json, each, MAX_ITEMS);
  if (elements === undefined) throw new SourceError('changed', `the answer has no ${each}`);
  if (elements.length > MAX_ITEMS) throw new SourceError('changed', `the answer lists more than ${MAX_ITEMS} readings`);
  const slices: Slice[] = [];
  for (let from = 0; from < elements.length; from += SLICE_ITEMS) {
    const slice = elements.slice(from, from + SLICE_ITEMS);
    const message = messageAround(slice, each, when?.json ?? {});
    slices.push({ message, items: slice.length, hasTime: fields?.['time'] !== undefined });
  }
  return slices;
}

/**
 * Throws if no item of an answer could be read, because its fields have changed. It is then requested again, and nothing
 * is recorded as rejected. This does not apply to a device that could not measure.
 */
function checkFields({ items, readings, rejections }: ReadAnswer, profile: string): void {
  if (items === 0 || readings.length > 0 || rejections.some(({ code }) => !code.startsWith('malformed'))) return;
  const detail = rejections[0]?.detail ?? 'no reading has a level.';
  throw new SourceError('changed', `the profile ${profile} reads nothing of the answer: ${detail}`);
}
