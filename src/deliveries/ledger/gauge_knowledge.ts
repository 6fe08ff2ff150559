import { decodeState, UnreadableState } from '../../evaluation/state_codec.ts';
import { DAY_MS } from '../../values/time.ts';

/** What the tank state says of a gauge. */
export interface GaugeKnowledge {
  noisePoints: number;
  usePointsPerDay: number;
  cadenceMs: number;
  isReliable: boolean;
}

/** Of a tank without a readable state: a middling gauge that reports once a day. */
const UNKNOWN: GaugeKnowledge = { noisePoints: 1, usePointsPerDay: 1, cadenceMs: DAY_MS, isReliable: true };

export function knownOfGauge(encodedState: string | null): GaugeKnowledge {
  if (encodedState === null) return UNKNOWN;
  try {
    const { level, cadenceMs, gauge } = decodeState(encodedState);
    return {
      noisePoints: level?.noise ?? UNKNOWN.noisePoints,
      usePointsPerDay: level?.rate ?? UNKNOWN.usePointsPerDay,
      cadenceMs: cadenceMs > 0 ? cadenceMs : UNKNOWN.cadenceMs,
      isReliable: gauge.fault === null,
    };
  } catch (error) {
    // Another release wrote it: a writer re-evaluates the tank soon.
    if (error instanceof UnreadableState) return UNKNOWN;
    throw error;
  }
}
