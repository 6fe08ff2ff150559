import { expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { parseKey } from '../../src/keys/key_format.ts';
import { addIssuer, removeIssuer } from '../../src/oidc/issuers.ts';
import { givenContact, givenOrganization } from '../support/fleet.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { API_SECRETS_KEY } from '../support/manage.ts';
import { givenSession } from '../support/sessions.ts';
import { type TestDatabase, test } from '../support/test.ts';

/**
 * Holds the lock of a contact while the work waits for it, and then takes those of its sessions, like a change of the
 * contact. That would fail if the work held them.
 */
async function changeContactDuring(
  { owner }: TestDatabase,
  contactId: string,
  work: () => Promise<unknown>,
  whileItWaits: () => Promise<void> = async () => {},
): Promise<void> {
  const change = await owner.connect();
  try {
    await change.query('begin');
    await change.query('select from contacts where id = $1 for no key update', [contactId]);
    const done = work();
    await expectLockWaits(owner, 1);
    await whileItWaits();
    await change.query(
      `select from sessions where contact_no = (select no from contacts where id = $1) for no key update nowait`,
      [contactId],
    );
    await change.query('rollback');
    await done;
  } finally {
    change.release(true);
  }
}

async function givenPerson(database: TestDatabase) {
  const organizationNo = await givenOrganization(database.operator);
  const contact = { email: 'ana@example.com', types: [], roles: ['administrator'] } as const;
  const { id: contactId } = await givenContact(database.operator, organizationNo, contact);
  const { text, prefix } = await givenSession(database, { contactId });
  return { organizationNo, contactId, prefix, secretSha256: parseKey(text)?.secretSha256 };
}

test('a person who begins a change locks the contact before its session', async ({ database }) => {
  const { contactId, prefix, secretSha256 } = await givenPerson(database);
  await changeContactDuring(database, contactId, async () => {
    const values = [prefix, secretSha256, 'request'];
    const { rows } = await database.manager.query('select caller from begin_management($1, $2, $3)', values);
    expect(rows).toHaveLength(1);
  });
});

test('recording the use of sessions locks people before their sessions', async ({ database }) => {
  const { contactId, prefix } = await givenPerson(database);
  await database.owner.query(`update sessions set expires_at = now() + interval '1 minute' where prefix = $1`, [
    prefix,
  ]);
  await changeContactDuring(database, contactId, () =>
    database.api.query('select record_session_use($1::text[], array[now()])', [[prefix]]),
  );
  const { rows } = await database.owner.query(
    `select from sessions where prefix = $1 and expires_at > now() + interval '1 minute'`,
    [prefix],
  );
  expect(rows).toHaveLength(1);
});

test('the removal of an issuer locks the issuer, then its people, then their sessions', async ({ database }) => {
  const { operator, owner } = database;
  const { organizationNo, contactId, prefix } = await givenPerson(database);
  const issuer = { url: 'https://login.example.com', clientId: 'tanks', clientSecret: 'a secret' };
  const { id } = await transaction(operator, (tx) => addIssuer(tx, organizationNo, issuer, API_SECRETS_KEY));
  await owner.query(
    `insert into identities (issuer_no, subject, contact_no)
     select i.no, 'ana', c.no from issuers i cross join contacts c where i.id = $1 and c.id = $2`,
    [id, contactId],
  );
  await owner.query('update sessions set issuer_no = (select no from issuers where id = $1) where prefix = $2', [
    id,
    prefix,
  ]);
  await changeContactDuring(
    database,
    contactId,
    () => transaction(operator, (tx) => removeIssuer(tx, organizationNo, id, { keepsRoles: false })),
    async () => {
      const lockIssuer = owner.query('select from issuers where id = $1 for share nowait', [id]);
      await expect(lockIssuer).rejects.toThrow(/could not obtain lock/);
    },
  );
});
