import { decodeState, UnreadableStateError } from '../../evaluation/state_codec.ts';
import { DAY_MS } from '../../values/time.ts';

/** The characteristics of a gauge, from the tank state. */
export interface GaugeCharacteristics {
  noisePoints: number;
  usePointsPerDay: number;
  cadenceMs: number;
  isReliable: boolean;
}

/** The characteristics for a tank without a readable state: an average gauge that reports once a day. */
const UNKNOWN: GaugeCharacteristics = { noisePoints: 1, usePointsPerDay: 1, cadenceMs: DAY_MS, isReliable: true };

export function gaugeCharacteristics(encodedState: string | null): GaugeCharacteristics {
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
    // Another release wrote the state. A writer re-evaluates the tank soon.
    if (error instanceof UnreadableStateError) return UNKNOWN;
    throw error;
  }
}
