import type { Db } from '../db/pool.ts';
import { amount } from '../values/text_format.ts';
import { type CheckContext, type CheckFinding, finding } from './finding.ts';

/** Re-evaluation normally takes a second. */
const OVERDUE_MINUTES = 10;

/** Finds tanks that cannot be evaluated: their readings are stored, but they raise no alerts. */
export async function checkEvaluation({ pool, fix }: CheckContext): Promise<CheckFinding[]> {
  return [...(await checkFailing(pool, fix)), ...(await checkWaiting(pool)), ...(await checkOverdue(pool))];
}

async function checkFailing(db: Db, fix: boolean): Promise<CheckFinding[]> {
  const { rows } = await db.query<{ error: string; n: number; since: string; tank: string | null }>(
    `select r.last_error as error, count(*) as n, min(r.failing_since) as since, min(t.id::text) as tank
     from reevaluations r left join tanks t on t.no = r.tank_no
     where r.failing_since is not null
     group by r.last_error order by n desc, error limit 5`,
  );
  if (fix && rows.length > 0) {
    await db.query(`update reevaluations set next_attempt_at = now() where failing_since is not null`);
  }
  return rows.map(({ error, n, since, tank }) =>
    finding(
      `${amount(n, 'tanks')} cannot be evaluated since ${since}: ${error} (for example the tank ${tank}); readings are stored, but raise no alerts`,
      'if a newer release is available, upgrade the writers; otherwise report the error with the tank. Writers retry at least every hour, and tankwatch doctor --fix makes them retry now',
    ),
  );
}

async function checkWaiting(db: Db): Promise<CheckFinding[]> {
  const { rows } = await db.query<{ n: number; version: number | null }>(
    `select count(*) as n, max(waits_for_version) as version from reevaluations where waits_for_version is not null`,
  );
  return rows
    .filter(({ n }) => n > 0)
    .map(({ n, version }) =>
      finding(
        `a newer release wrote the states of ${amount(n, 'tanks')} (version ${version}): without that release they raise no alerts`,
        'run the writers of that release again; they evaluate these tanks without further action',
      ),
    );
}

async function checkOverdue(db: Db): Promise<CheckFinding[]> {
  const { rows } = await db.query<{ n: number; since: string }>(
    `select count(*) as n, min(next_attempt_at) as since from reevaluations
     where next_attempt_at < now() - make_interval(mins => $1)`,
    [OVERDUE_MINUTES],
  );
  return rows
    .filter(({ n }) => n > 0)
    .map(({ n, since }) =>
      finding(
        `re-evaluation of ${amount(n, 'tanks')} is overdue since ${since}`,
        'check that tankwatch writer is running with EVENTS=on, and see its log',
      ),
    );
}
