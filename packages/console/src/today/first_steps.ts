import type { FleetSummary, Settings } from '@tankwatch/client';

export const STEPS = ['organization', 'phone', 'tanks', 'reading', 'mails', 'people'] as const;
export type StepName = (typeof STEPS)[number];

/** Where a step is done, and the right that it needs. Null: the operator of the service does it. */
export const WAYS: Readonly<Record<StepName, { href: string; right: string } | null>> = {
  organization: null,
  phone: null,
  tanks: { href: '/imports', right: 'catalog' },
  reading: { href: '/commission', right: 'devices' },
  mails: { href: '/mails', right: 'contacts' },
  people: { href: '/people', right: 'contacts' },
};

export interface Steps {
  done: ReadonlySet<StepName>;
  /** The first open step that can be done here now. */
  next: StepName | null;
  /** Nobody learns of a tank that is low or loses gas. */
  isNobodyWarned: boolean;
}

/** What has to be there before tanks are watched: by what is stored, not by what was pressed. */
export function findSteps(
  { organization, contacts }: Settings,
  { total, not_reporting_yet: unheard }: FleetSummary,
): Steps {
  const isDone: Readonly<Record<StepName, boolean>> = {
    organization: true,
    phone: organization.phone !== null,
    tanks: total > 0,
    reading: unheard < total,
    mails: contacts.some(({ types }) => types.includes('tank.rapid_loss')),
    people: contacts.filter(({ has_console }) => has_console).length > 1,
  };
  const isPossible = (name: StepName): boolean => WAYS[name] !== null && (name !== 'reading' || isDone.tanks);
  return {
    done: new Set(STEPS.filter((name) => isDone[name])),
    next: STEPS.find((name) => !isDone[name] && isPossible(name)) ?? null,
    isNobodyWarned: !(isDone.tanks && isDone.reading && isDone.mails),
  };
}
