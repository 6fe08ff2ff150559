import { decodeCurrentState } from '../../status/tank_status.ts';
import { DAY_MS } from '../../values/time.ts';

/** The characteristics of a gauge, from the tank state. */
export interface GaugeCharacteristics {
  noisePoints: number;
  usePointsPerDay: number;
  cadenceMs: number;
  isReliable: boolean;
}

/** The characteristics for a tank without a state of this release: an average gauge that reports once a day. */
const UNKNOWN: GaugeCharacteristics = { noisePoints: 1, usePointsPerDay: 1, cadenceMs: DAY_MS, isReliable: true };

export function gaugeCharacteristics(encodedState: string | null): GaugeCharacteristics {
  const state = encodedState === null ? null : decodeCurrentState(encodedState);
  if (state === null) return UNKNOWN;
  const { level, cadenceMs, gauge } = state;
  return {
    noisePoints: level?.noise ?? UNKNOWN.noisePoints,
    usePointsPerDay: level?.rate ?? UNKNOWN.usePointsPerDay,
    cadenceMs: cadenceMs > 0 ? cadenceMs : UNKNOWN.cadenceMs,
    isReliable: gauge.fault === null,
  };
}
