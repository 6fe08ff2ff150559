import type { TankStatus } from '@tankwatch/client';
import { fieldOf, textOf } from './change.ts';

/** What can be handled, the most urgent first. */
export const CONDITIONS = ['losing', 'low', 'gauge_unreliable', 'silent'] as const;
export type Condition = (typeof CONDITIONS)[number];

/** A condition that somebody handles. */
export interface Handled {
  /** Of the acknowledgement. */
  id: string;
  condition: Condition;
  until: string;
  /** Null: a program. */
  byName: string | null;
  comment: string;
}

export interface Muted {
  until: string;
  reason: string;
}

/** The conditions of a tank that are handled. */
export function handledOf(status: TankStatus): Handled[] {
  const handled = fieldOf(status, 'handled');
  if (!Array.isArray(handled)) return [];
  return handled.flatMap((one: unknown) => {
    const condition = CONDITIONS.find((name) => name === fieldOf(one, 'condition'));
    const [id, until] = [textOf(one, 'id'), textOf(one, 'until')];
    if (condition === undefined || id === null || until === null) return [];
    return [{ id, condition, until, byName: textOf(one, 'by_name'), comment: textOf(one, 'comment') ?? '' }];
  });
}

/** The conditions that are true and that nobody handles. */
export function openConditions(status: TankStatus): Condition[] {
  const handled = new Set(handledOf(status).map(({ condition }) => condition));
  return CONDITIONS.filter((condition) => status.status.includes(condition) && !handled.has(condition));
}

export function mutedOf(status: TankStatus): Muted | null {
  const muted = fieldOf(status, 'muted');
  const until = textOf(muted, 'until');
  return until === null ? null : { until, reason: textOf(muted, 'reason') ?? '' };
}
