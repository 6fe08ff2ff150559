import type { TankStatus } from '@tankwatch/client';

/** The conditions that can be acknowledged, the most urgent first. */
const CONDITIONS = ['losing', 'low', 'gauge_unreliable', 'silent'] as const;
export type Condition = (typeof CONDITIONS)[number];

/** The conditions that are true and that nobody handles. */
export function openConditions({ status, handled }: TankStatus): Condition[] {
  return CONDITIONS.filter(
    (condition) => status.includes(condition) && !handled.some((one) => one.condition === condition),
  );
}
