import type { Pool } from 'pg';
import { createTenant, plainTank, type Tenant } from '../engines/tenant.ts';
import { operatorChange } from '../src/catalog/change_context.ts';
import { createTanks } from '../src/catalog/tanks.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { transaction } from '../src/db/pool.ts';
import { addContact } from '../src/mail/contacts.ts';
import { HOUR_MS } from '../src/values/time.ts';
import { type BulkFleet, createFleet } from './bulk_fleet.ts';
import { fillTelemetry } from './bulk_telemetry.ts';
import type { BenchOptions } from './report.ts';

export const CONTACTS = ['one@mass.example', 'two@mass.example', 'three@mass.example'];
/** The number of hourly readings of a tank that has stored readings. After a late reading, a writer evaluates these three days again. */
const READINGS = 72;

export interface EvaluationFleet extends BulkFleet {
  /** Another organization, which has no tanks at first. */
  other: Tenant;
  /** How many tanks have stored readings. They are the first ones. */
  tanksWithReadings: number;
  /** Time of the latest reading of any tank. */
  latestMs: number;
}

/** Creates an organization with many tanks, whose states were computed from readings, and another one without tanks. */
export async function buildFleet(
  owner: Pool,
  tanks: number,
  tanksWithReadings: number,
  { log }: Pick<BenchOptions, 'log'>,
): Promise<EvaluationFleet> {
  const latestMs = Date.now() - HOUR_MS;
  const fleet = await createFleet(owner, { tanks, tanksPerOwner: tanks, latestMs, cadenceMs: HOUR_MS, log });
  for (const email of CONTACTS) {
    await transaction(owner, (tx) =>
      addContact(operatorChange(tx, fleet.organizationNo), { email, types: ['tank.device_silent'] }),
    );
  }
  await owner.query(
    `insert into tank_checkpoints (tank_no, week_index, at, encoded_state)
     select tank_no, 0, latest_at, encoded_state from tank_states order by tank_no`,
  );
  await fillTelemetry(owner, fleet, { tanks: tanksWithReadings, readingsPerTank: READINGS, log });
  await owner.query('vacuum analyze');
  return { ...fleet, other: await createTenant(owner, { code: 'a0other', devices: 0 }), tanksWithReadings, latestMs };
}

let createdTanks = 0;

/** Creates a tank of the other organization, whose alert must not wait for the many tanks of the first one. */
export async function createOtherTank(owner: Pool, { organizationNo, customerNo }: Tenant): Promise<number> {
  createdTanks++;
  const tank = { ...plainTank(customerNo, createdTanks), assigned_device_id: `O${createdTanks}` };
  return onlyRow(await transaction(owner, (tx) => createTanks(tx, organizationNo, [tank]))).no;
}
