import { type CheckContext, type CheckFinding } from './finding.ts';

/**
 * Readers of the event feed continue after the highest change number that they have seen. If stored events have higher
 * numbers than new ones, no reader gets a new event. This happens if events were restored without `change_epochs`.
 */
export async function checkEventFeed({ pool, fix }: CheckContext): Promise<CheckFinding[]> {
  const { rows } = await pool.query<{ newest: number; used: number }>(
    `select newest_event_epoch() as newest, greatest(used_epoch, change_epoch()) as used from change_epochs
     where newest_event_epoch() > greatest(used_epoch, change_epoch())`,
  );
  if (fix && rows.length > 0) await pool.query('select raise_change_epoch()');
  return rows.map(({ newest, used }) => ({
    problem: `stored events have change numbers of epoch ${newest}, and new ones get epoch ${used}: readers of the event feed get no new event`,
    remedy: 'run tankwatch doctor --fix, which raises the epoch above all stored events',
    fixed: fix,
  }));
}
