import type { Pool } from 'pg';
import { transaction } from '../src/db/pool.ts';
import type { NewEvent } from '../src/evaluation/pure/alerts/event_types.ts';
import { recordEvents } from '../src/evaluation/record_events.ts';
import { HOUR_MS } from '../src/values/time.ts';

/** The time of the last event. All times differ, so that no event replaces another. */
let lastAtMs = Date.now() - HOUR_MS;

/** Records low fills of a tank and returns their ids. `onIds` runs before the commit, and so before anything is delivered. */
export function recordLowFills(
  owner: Pool,
  { organizationNo, tankNo }: { organizationNo: number; tankNo: number },
  count = 1,
  onIds: (ids: string[]) => void = () => {},
): Promise<string[]> {
  const firstMs = lastAtMs + 1;
  lastAtMs += count;
  const times = Array.from({ length: count }, (_, n) => new Date(firstMs + n).toISOString());
  const events = times.map(
    (occurredAt): NewEvent => ({
      organizationNo,
      tankNo,
      type: 'tank.low_fill',
      occurredAt,
      data: { fill_percentage: 19.5, threshold_percentage: 20 },
      readings: [{ created_at: occurredAt, fill_percentage: 19.5 }],
      notify: true,
    }),
  );
  return transaction(owner, async (tx) => {
    await recordEvents(tx, events);
    const { rows } = await tx.query<{ id: string }>(
      'select id from events where tank_no = $1 and occurred_at = any ($2) order by no',
      [tankNo, times],
    );
    const ids = rows.map(({ id }) => id);
    onIds(ids);
    return ids;
  });
}
