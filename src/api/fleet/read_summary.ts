import { onlyRow } from '../../db/only_row.ts';
import type { Readers } from '../../db/readers.ts';
import { TANK_STATUSES, type TankStatusName } from '../../fleet/status_object.ts';
import type { FleetScope } from '../../fleet/tank_page.ts';
import { countRecently, RecentResults } from './recent_counts.ts';

export interface FleetSummary {
  /** Tanks with each status. A tank can have several. */
  counts: Record<TankStatusName, number>;
  total: number;
  newestReadingAt: string | null;
  /** When the oldest of the counts was made. */
  asOf: string;
}

const newestReadings = new RecentResults<string | null>();

/** The same recent counts as those of the lists. Each status is counted from the small index of its tanks. */
export async function summarizeFleet(readers: Readers, scope: FleetScope): Promise<FleetSummary> {
  const [newest, total, ...ofStatuses] = await Promise.all([
    newestReadings.read(readers, JSON.stringify(scope), () => newestReading(readers, scope)),
    countRecently(readers, scope, {}),
    ...TANK_STATUSES.map((status) => countRecently(readers, scope, { status })),
  ]);
  const counts = Object.fromEntries(TANK_STATUSES.map((status, at) => [status, ofStatuses[at]?.value ?? 0]));
  const [asOf = total.asOf] = [newest, total, ...ofStatuses].map((recent) => recent.asOf).toSorted();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries are those of TANK_STATUSES
  return { counts: counts as Record<TankStatusName, number>, total: total.value, newestReadingAt: newest.value, asOf };
}

/** Looks at the exact times of the tanks that reported on the newest day only, at most a thousand of them. */
async function newestReading(readers: Readers, { organizationNo, customerNo }: FleetScope): Promise<string | null> {
  const rows = await readers.query<{ at: string | null }>(
    {
      text: `with newest as (
          select l.tank_no from fleet_levels l ${customerNo === null ? '' : 'join fleet_tanks f using (organization_no, tank_no)'}
          where l.organization_no = $1 and l.latest_on > '-infinity' ${customerNo === null ? '' : 'and f.owner_no = $2'}
          order by l.latest_on desc, l.tank_no desc limit 1000
        )
        select max(s.latest_at) as at from newest join tank_states s using (tank_no)`,
    },
    customerNo === null ? [organizationNo] : [organizationNo, customerNo],
  );
  return onlyRow(rows).at;
}
