import { MEASURE_KINDS, type MeasureKind } from '../../telemetry/reading.ts';
import type { GaugeProfile } from './profile.ts';
import { channelOf, isLevelName, LEVEL_NAMES } from './quantities.ts';

/** The kinds of levels that the devices of a profile send. */
export interface SentLevels {
  /** The numbers of the channels of a device, if it has several. */
  channels: number[];
  measures: MeasureKind[];
  /** True if a device computes levels itself, besides measures or instead of them. */
  reports_level: boolean;
}

export function sentLevels({ frames }: GaugeProfile): SentLevels {
  const fields = frames.flatMap((frame) => [
    frame.fields ?? {},
    frame.repeat?.fields ?? {},
    ...Object.values(frame.tlv?.items ?? {}),
  ]);
  const names = fields.flatMap((group) => Object.keys(group)).map(channelOf);
  const kinds = names.flatMap(([name]) => (isLevelName(name) ? [LEVEL_NAMES[name][0]] : []));
  const channels = new Set(names.flatMap(([, channel]) => channel ?? []));
  return {
    channels: [...channels].toSorted((a, b) => a - b),
    measures: MEASURE_KINDS.filter((kind) => kinds.includes(kind)),
    reports_level: kinds.some((kind) => kind === 'percent' || kind === 'liters' || kind === 'gallons'),
  };
}
