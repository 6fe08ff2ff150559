import { get, type IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import { onlyRow } from '../../src/db/only_row.ts';
import { transaction } from '../../src/db/pool.ts';
import { revokeKey } from '../../src/keys/issue_key.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { within } from '../support/stopwatch.ts';
import { type TestDatabase, test } from '../support/test.ts';

const ROWS = 15_000;
/** Long texts, so that the sockets' buffers hold only a part of the file. */
const LONG = 'x'.repeat(190);

/** Copies a tank without triggers, which would take 20 s of CPU time. */
const copyTank = ({ owner }: TestDatabase, no: number): Promise<void> =>
  transaction(owner, async (tx) => {
    await tx.query('set local session_replication_role = replica');
    for (const [table, column, unique] of [
      ['tanks', 'no', `, 'id', gen_random_uuid(), 'custom_id', null, 'assigned_device_id', 'E' || n`],
      ['fleet_tanks', 'tank_no', ''],
    ])
      await tx.query(
        `insert into ${table} overriding system value
         select (jsonb_populate_record(t, jsonb_build_object('${column}', ${column} * 1000000 + n ${unique}))).*
         from ${table} t, generate_series(1, ${ROWS}) n where ${column} = $1`,
        [no],
      );
  });

for (const [path, give] of [
  [
    '/fleet/v1/tanks.csv',
    async (database: TestDatabase, organizationNo: number, ownerNo: number) => {
      const tank = { name: LONG, street: LONG, district: LONG, city: LONG };
      const { no } = onlyRow(await givenTanks(database.operator, organizationNo, ownerNo, [tank]));
      await copyTank(database, no);
    },
  ],
  [
    '/fleet/v1/events.csv',
    async (database: TestDatabase, organizationNo: number, ownerNo: number) => {
      const tank = { name: LONG + LONG, custom_id: LONG, city: LONG };
      const { no } = onlyRow(await givenTanks(database.operator, organizationNo, ownerNo, [tank]));
      await database.owner.query(
        `insert into events (id, organization_no, tank_no, type, occurred_at, data, readings, notify)
         select gen_random_uuid(), $1, $2, 'tank.low_fill', now() - n * interval '1 minute', '{}', '[]', false
         from generate_series(1, ${ROWS}) n`,
        [organizationNo, no],
      );
    },
  ],
] as const) {
  test(`an export of ${path} ends, incomplete, when its key is revoked while it is sent`, async ({ database, api }) => {
    const organizationNo = await givenOrganization(database.operator);
    const { no: ownerNo } = await givenCustomer(database.operator, organizationNo);
    await give(database, organizationNo, ownerNo);
    const key = await givenKey(database.operator, { organizationNo });

    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      get(`${api.url}${path}`, { headers: { 'x-api-key': key.text }, agent: false }, resolve).on('error', reject),
    );
    expect(response.statusCode).toBe(200);
    // The response is not read yet. The api may end it at any time from now on, and the end is reported only once.
    const ended = new Promise((resolve) => {
      response.on('end', () => resolve('complete')).on('error', () => resolve('aborted'));
    });
    await revokeKey(database.operator, key.text.slice(0, 12));
    const status = async (): Promise<number> => (await api.call('/v1/tanks', { key: key.text })).status;
    await within(5_000, () => expect.poll(status).toBe(401));

    let rows = -1; // without the header
    response.on('data', (chunk: Buffer) => {
      rows += chunk.filter((byte) => byte === 0x0a).length;
    });
    expect([await ended, rows < ROWS]).toEqual(['aborted', true]);
  });
}
