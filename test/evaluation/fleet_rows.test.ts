import { expect, test as plainTest } from 'vitest';
import { fleetRow } from '../../src/evaluation/fleet_rows.ts';
import { foldInputs } from '../../src/evaluation/pure/alerts/fold_inputs.ts';
import { type AlertSettings, INITIAL_STATE } from '../../src/evaluation/pure/alerts/tank_state.ts';
import { urgencyOf } from '../../src/evaluation/pure/alerts/urgency.ts';
import { forecast } from '../../src/evaluation/pure/estimator/forecast.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { test } from '../support/test.ts';
import { givenWorstDay } from '../support/worst_day.ts';

plainTest('the days on which a tank is due and empty are in the time zone of its organization', () => {
  const settings: AlertSettings = { minFillAlertPercentage: 20, capacity: 500, capacityUnit: 'liters' };
  const startMs = Date.UTC(2026, 0, 1);
  const inputs = Array.from({ length: 200 }, (_, hour) => ({
    kind: 'reading' as const,
    atMs: startMs + hour * HOUR_MS,
    fillPercentage: 60 - hour / 12,
  }));
  const { state } = foldInputs({ settings, state: INITIAL_STATE }, inputs, 1);
  const atMs = inputs.at(-1)?.atMs ?? 0;
  const { dueAtMs, emptyAtMs } = urgencyOf(state, forecast(settings, state, atMs, null), atMs);
  const zones = ['Pacific/Pago_Pago', 'America/Mexico_City', 'UTC', 'Pacific/Kiritimati'];
  const rows = zones.map((timeZone) => fleetRow({ tankNo: 1, settings, state, timeZone }, null));
  for (const [index, timeZone] of zones.entries()) {
    const dayIn = (ms: number): string => new Date(ms).toLocaleDateString('sv', { timeZone });
    expect(rows[index]).toMatchObject({ thresholdOn: dayIn(dueAtMs), emptyOn: dayIn(emptyAtMs) });
  }
  // The first and the last zone are 25 hours apart.
  expect(new Set(rows.map(({ thresholdOn }) => thresholdOn)).size).toBeGreaterThan(1);
});

test('the day of a refill is in the time zone of the organization', async ({ database }) => {
  const { noOf, nowMs, organizationNo, ingester } = await givenWorstDay(database);
  const zone = new Date(nowMs).getUTCHours() < 12 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati';
  await database.owner.query('update organizations set time_zone = $2 where no = $1', [organizationNo, zone]);
  const refill = [70, 84, 84, 84].map((fillPercentage, index) => ({
    tankNo: noOf('low'),
    atMs: nowMs + (index + 1) * HOUR_MS,
    fillPercentage,
  }));
  await ingester.ingestReadings(refill);
  const { rows } = await database.owner.query<{ refilled_on: string; day: string }>(
    `select f.refilled_on::text, (
       select (max(e.occurred_at) at time zone $2)::date::text from events e
       where e.tank_no = f.tank_no and e.type = 'tank.refilled'
     ) as day
     from fleet_tanks f where f.tank_no = $1`,
    [noOf('low'), zone],
  );
  expect(rows[0]?.refilled_on).toBe(rows[0]?.day);
  expect(rows[0]?.day).toMatch(/^20/);
});
