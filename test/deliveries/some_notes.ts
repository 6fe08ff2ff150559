import type { DeliveryNote, SeenRefill } from '../../src/deliveries/pure/notes/delivery_note.ts';
import type { LedgerTank } from '../../src/deliveries/pure/notes/note_verdict.ts';
import { HOUR_MS } from '../../src/values/time.ts';

export const NOON_MS = Date.UTC(2026, 0, 12, 12);

/** A note of noon about 500 liters, not compensated. */
export const someNote = (id: string, values: Partial<DeliveryNote> & { atMs?: number } = {}): DeliveryNote => {
  const { atMs = NOON_MS, ...given } = values;
  return {
    id,
    customerId: 'customer',
    tankId: 'tank',
    truckId: 'truck',
    fromMs: atMs,
    toMs: atMs,
    liters: 500,
    isCompensated: false,
    productCelsius: null,
    airCelsius: null,
    ...given,
  };
};

/** A refill of 500 liters that a good gauge saw between 11:00 and 13:00. */
export const someRefill = (values: Partial<SeenRefill> = {}): SeenRefill => {
  const toMs = values.toMs ?? NOON_MS + HOUR_MS;
  return {
    tankId: 'tank',
    customerId: 'customer',
    atMs: toMs,
    fromMs: toMs - 2 * HOUR_MS,
    toMs,
    liters: 500,
    beforePercentage: 30,
    afterPercentage: 80,
    capacityLiters: 1_000,
    noisePoints: 0.3,
    usePointsPerDay: 2,
    cadenceMs: 2 * HOUR_MS,
    isGaugeReliable: true,
    ...values,
  };
};

export const someTank = (values: Partial<LedgerTank> = {}): LedgerTank => ({
  id: 'tank',
  customerId: 'customer',
  capacityLiters: 1_000,
  latestReadingMs: NOON_MS + 48 * HOUR_MS,
  isGaugeReliable: true,
  ...values,
});
