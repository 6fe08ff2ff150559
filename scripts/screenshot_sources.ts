import type { Pool } from 'pg';
import { operatorChange } from '../src/catalog/change_context.ts';
import { createConnector } from '../src/connectors/connector_changes.ts';
import { transaction } from '../src/db/pool.ts';
import type { PictureFleet } from './screenshot_fleets.ts';

/** A source in each state: it works, is down, or its key is refused. */
const SOURCES = [
  { name: 'Gauges of the north', kind: 'otodata', state: `worked_at = now() - interval '4 minutes'`, worked: 'true' },
  {
    name: 'Old sensors',
    kind: 'tank_utility',
    state: `worked_at = now() - interval '3 hours', failing_since = now() - interval '3 hours', failures = 12,
            down_since = now() - interval '165 minutes', last_error = 'the source answers 503'`,
    worked: 'ago >= 3',
  },
  {
    name: 'Farm gauges',
    kind: 'otodata',
    state: `worked_at = now() - interval '2 days', refused_at = now() - interval '2 days', last_error = 'the key is refused'`,
    worked: null,
  },
] as const;

export async function giveSources(owner: Pool, { organizationNo }: PictureFleet, secretsKey: string): Promise<void> {
  for (const { name, kind, state, worked } of SOURCES) {
    const { id } = await transaction(owner, (tx) =>
      createConnector(operatorChange(tx, organizationNo), { name, kind, settings: {}, secret: 'a key' }, secretsKey),
    );
    await owner.query(
      `update connector_states set attempted_at = now() - interval '4 minutes', next_attempt_at = now() + interval '11 minutes',
              backfill_at = null, backfill_to = null, ${state}, hours = (
                select coalesce(jsonb_object_agg((date_part('epoch', now())::bigint / 3600 - ago)::text, case when ${worked}
                  then jsonb_build_array(30 + ago * 7 % 11, 4, 0) else '[0, 0, 3]' end), '{}')
                from generate_series(0, 23) as ago where ${worked !== null})
       where connector_no = (select no from connectors where id = $1)`,
      [id],
    );
    await owner.query(
      `insert into connector_devices (connector_no, device_id)
       select c.no, t.assigned_device_id from connectors c, tanks t
       where c.id = $1 and t.organization_no = $2 and t.no % ${SOURCES.length} = c.no % ${SOURCES.length}`,
      [id, organizationNo],
    );
  }
}
