import type { FleetSummary, Settings } from '@tankwatch/client';

export const STEPS = ['organization', 'phone', 'tanks', 'reading', 'mails', 'people'] as const;
export type StepName = (typeof STEPS)[number];

/** The page on which a step is done, and the right that it needs. Null if the operator of the service does the step. */
export const STEP_PAGES: Readonly<Record<StepName, { href: string; right: string } | null>> = {
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
  /** True if nobody would get a mail yet when a tank loses gas: tanks, a first reading or such a contact are missing. */
  isNobodyWarned: boolean;
}

/** Finds the steps that are done. A step is done if its result is stored, not because somebody pressed a button. */
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
  const isPossible = (name: StepName): boolean => STEP_PAGES[name] !== null && (name !== 'reading' || isDone.tanks);
  return {
    done: new Set(STEPS.filter((name) => isDone[name])),
    next: STEPS.find((name) => !isDone[name] && isPossible(name)) ?? null,
    isNobodyWarned: !(isDone.tanks && isDone.reading && isDone.mails),
  };
}
