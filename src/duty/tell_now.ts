import type { ChangeContext } from '../catalog/change_context.ts';
import { ChangeRefusedError, NoSuchObjectError } from '../values/change_refusal.ts';
import { isUuid } from '../values/uuid7.ts';
import { type Escalation, listEscalations } from './list_escalations.ts';

/**
 * Makes the next step of an escalation due now, or with `all` the step that notifies all. A worker runs the step within a second, unless
 * somebody handles the condition by then.
 */
export async function tellNow(
  { tx, organizationNo }: ChangeContext,
  id: string,
  { all }: { all: boolean },
): Promise<Escalation> {
  const find = async (): Promise<Escalation> => {
    const [found] = isUuid(id) ? await listEscalations(tx, organizationNo, id) : [];
    if (found === undefined) throw new NoSuchObjectError('escalation');
    return found;
  };
  await find();
  // Waits for a worker that runs a step and holds the lock of the row, so that the state after that step is read.
  await tx.query('select from escalations where organization_no = $1 and id = $2 for update', [organizationNo, id]);
  const { ended_at: endedAt, taken_at: takenAt } = await find();
  if (endedAt !== null) throw new ChangeRefusedError('escalation_over', 'the escalation has ended');
  if (takenAt !== null) throw new ChangeRefusedError('escalation_over', 'somebody handles it already');
  await tx.query(
    `update escalations set next_at = now(), stage = case when $3::boolean then 2 else stage end
     where organization_no = $1 and id = $2`,
    [organizationNo, id, all],
  );
  await tx.query(
    `update escalation_jobs j
     set due_at = case when claimed_by is null then least(due_at, now()) else due_at end,
         due_again_at = case when claimed_by is not null then now() else due_again_at end
     from escalations e
     where e.organization_no = $1 and e.id = $2 and j.key = 'escalation:' || e.no and j.given_up_at is null`,
    [organizationNo, id],
  );
  return find();
}
