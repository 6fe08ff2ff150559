import { expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { parseKey } from '../../src/keys/key_format.ts';
import { givenContact, givenCustomer, givenKey, givenOrganization } from '../support/fleet.ts';
import { givenSession } from '../support/sessions.ts';
import { type TestDatabase, test } from '../support/test.ts';

async function givenSessionOfPerson(database: TestDatabase) {
  const organizationNo = await givenOrganization(database.operator);
  const contact = { email: 'ana@example.com', types: [], roles: ['administrator'] } as const;
  const { id: contactId } = await givenContact(database.operator, organizationNo, contact);
  return givenSession(database, { contactId });
}

/** Fails if the statement waits for a row. */
const recordInTime = ({ owner }: TestDatabase, statement: string, values: unknown[]): Promise<void> =>
  transaction(owner, async (tx) => {
    await tx.query(`set local lock_timeout = '1s'`);
    await tx.query(statement, values);
  });

test('recording the use of sessions waits for nobody who makes a change, and records the others', async ({
  database,
}) => {
  const { owner } = database;
  const [ana, ben] = [await givenSessionOfPerson(database), await givenSessionOfPerson(database)];
  await owner.query(`update sessions set expires_at = now() + interval '1 minute'`);
  const prefixes = [ana.prefix, ben.prefix];
  const record = () => recordInTime(database, 'select record_session_use($1, array[now(), now()])', [prefixes]);
  const recorded = async () => {
    const { rows } = await owner.query(
      `select s.prefix from sessions s join contacts c on c.no = s.contact_no
       where s.prefix = any ($1) and s.expires_at > now() + interval '1 hour' and c.last_seen_at is not null`,
      [prefixes],
    );
    return rows.map(({ prefix }) => prefix);
  };
  const change = await owner.connect();
  try {
    await change.query('begin');
    await change.query('select from begin_management($1, $2, $3)', [
      ana.prefix,
      parseKey(ana.text)?.secretSha256,
      'request',
    ]);
    await record();
    expect(await recorded()).toEqual([ben.prefix]);
    await change.query('rollback');
  } finally {
    change.release(true);
  }
  await record();
  expect(await recorded()).toEqual(expect.arrayContaining(prefixes));
});

test('recording the use of keys waits for no customer who is changed and for no key that makes a change', async ({
  database,
}) => {
  const { operator, owner } = database;
  const organizationNo = await givenOrganization(operator);
  const customers = [await givenCustomer(operator, organizationNo), await givenCustomer(operator, organizationNo)];
  const keys = [await givenKey(operator, { organizationNo, scopes: ['manage'] })];
  for (const { no } of customers) keys.push(await givenKey(operator, { organizationNo, customerNo: no }));
  const nos = keys.map(({ no }) => no);
  const change = await owner.connect();
  try {
    await change.query('begin');
    await change.query('select from begin_management($1, $2, $3)', [
      keys[0]?.prefix,
      parseKey(keys[0]?.text ?? '')?.secretSha256,
      'request',
    ]);
    await change.query('select from customers where no = $1 for no key update', [customers[0]?.no]);
    await recordInTime(database, 'select record_key_use($1, array_fill(now(), array[3]))', [nos]);
    await change.query('rollback');
  } finally {
    change.release(true);
  }
  const { rows } = await owner.query(
    `select k.last_used_at is not null as is_used, c.last_seen_at is not null as is_seen
     from api_keys k left join customers c on c.no = k.customer_no where k.no = any ($1) order by k.no`,
    [nos],
  );
  expect(rows).toEqual([
    { is_used: false, is_seen: false },
    { is_used: true, is_seen: false },
    { is_used: true, is_seen: true },
  ]);
});
