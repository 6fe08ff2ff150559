import type { Pool } from 'pg';
import { transaction } from '../../src/db/pool.ts';
import { recordEvents } from '../../src/evaluation/record_events.ts';

const DAY_MS = 86_400_000;
let lastAtMs = Date.now() - 10 * DAY_MS;

/** Records a low fill. `onId` runs before the commit, so before anything can be delivered. */
export function recordLowFill(
  owner: Pool,
  { organizationNo, tankNo }: { organizationNo: number; tankNo: number },
  onId: (eventId: string) => void = () => {},
): Promise<string> {
  const occurredAt = new Date(++lastAtMs).toISOString();
  return transaction(owner, async (tx) => {
    await recordEvents(tx, [
      {
        organizationNo,
        tankNo,
        type: 'tank.low_fill',
        occurredAt,
        data: { fill_percentage: 19.5, threshold_percentage: 20 },
        readings: [{ created_at: occurredAt, fill_percentage: 19.5 }],
        notify: true,
      },
    ]);
    const { rows } = await tx.query<{ id: string }>('select id from events where tank_no = $1 and occurred_at = $2', [
      tankNo,
      occurredAt,
    ]);
    const id = rows[0]?.id ?? '';
    onId(id);
    return id;
  });
}
