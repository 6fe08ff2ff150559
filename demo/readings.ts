import type { Random } from './random.ts';

export interface TankLife {
  /** Points of fill used on an ordinary day. */
  usePerDay: number;
  /** Heating doubles the use in winter. */
  isHeating: boolean;
  isClosedOnSundays: boolean;
  /** The fill at which the truck is called. */
  refillBelow: number;
  cadenceMs: number;
  /** What the gauge rounds to, in points. */
  gaugeStep: number;
}

export interface SimulatedReading {
  atMs: number;
  fillPercentage: number;
}

const DAY_MS = 86_400_000;

/** The readings of one tank from one time to another: daily use, refills to about 85 %, sensor noise. */
export function* simulateReadings(
  random: Random,
  life: TankLife,
  fromMs: number,
  toMs: number,
): Generator<SimulatedReading> {
  const phaseMs = Math.floor(random.between(0, life.cadenceMs));
  let fill = random.between(life.refillBelow, 85);
  for (let atMs = fromMs + phaseMs; atMs < toMs; atMs += life.cadenceMs) {
    fill -= useDuring(life, atMs) * random.between(0.6, 1.4);
    if (fill < life.refillBelow && random.chance(0.35 * (life.cadenceMs / DAY_MS) * 4)) fill = random.between(78, 87);
    fill = Math.max(fill, 1);
    const swing = 0.6 * Math.sin((2 * Math.PI * (atMs % DAY_MS)) / DAY_MS); // warm gas reads higher
    const shown = Math.round((fill + swing + random.noise(0.25)) / life.gaugeStep) * life.gaugeStep;
    // Devices drift by some seconds; a jitter of a tenth of the cadence never reorders them.
    const jitterMs = Math.floor(random.between(0, life.cadenceMs / 10));
    yield { atMs: atMs + jitterMs, fillPercentage: Math.round(Math.min(100, Math.max(0, shown)) * 100) / 100 };
  }
}

function useDuring(life: TankLife, atMs: number): number {
  const at = new Date(atMs);
  if (life.isClosedOnSundays && at.getUTCDay() === 0) return 0;
  const winter = life.isHeating ? 1 + Math.max(0, Math.cos((2 * Math.PI * (at.getUTCMonth() - 0.5)) / 12)) : 1;
  return life.usePerDay * winter * (life.cadenceMs / DAY_MS);
}
