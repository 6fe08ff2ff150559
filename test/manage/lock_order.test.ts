import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { deleteCustomer, updateCustomer } from '../../src/catalog/customers.ts';
import { assignDevice, deleteTank } from '../../src/catalog/tanks.ts';
import { type Tx, transaction } from '../../src/db/pool.ts';
import { setDeliveryDays } from '../../src/deliveries/delivery_days.ts';
import type { ConsoleRole } from '../../src/keys/console_roles.ts';
import { revokeKey, rotateKey } from '../../src/keys/issue_key.ts';
import { makeKey, parseKey } from '../../src/keys/key_format.ts';
import { updateContact } from '../../src/mail/contacts.ts';
import { addIssuer, removeIssuer } from '../../src/oidc/issuers.ts';
import { recordDip } from '../../src/telemetry/dips.ts';
import { runCommand } from '../support/cli_in_process.ts';
import {
  givenContact,
  givenCustomer,
  givenKey,
  givenOrganization,
  givenTank,
  organizationCodeOf,
} from '../support/fleet.ts';
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

async function givenPerson(database: TestDatabase, roles: readonly ConsoleRole[] = ['administrator']) {
  const organizationNo = await givenOrganization(database.operator);
  const contact = { email: 'ana@example.com', types: [], roles };
  const { id: contactId } = await givenContact(database.operator, organizationNo, contact);
  const { text, prefix } = await givenSession(database, { contactId });
  return { organizationNo, contactId, prefix, secretSha256: parseKey(text)?.secretSha256 };
}

/** An issuer with an account of this contact. Returns its ID. */
async function givenIdentity(
  { operator, owner }: TestDatabase,
  organizationNo: number,
  contactId: string,
): Promise<string> {
  const issuer = { url: 'https://login.example.com', clientId: 'tanks', clientSecret: 'a secret' };
  const { id } = await transaction(operator, (tx) => addIssuer(tx, organizationNo, issuer, API_SECRETS_KEY));
  await owner.query(
    `insert into identities (issuer_no, subject, contact_no)
     select i.no, 'ana', c.no from issuers i cross join contacts c where i.id = $1 and c.id = $2`,
    [id, contactId],
  );
  return id;
}

/** Makes the change while a sign-in that gives other roles has not committed yet. Returns the roles after both. */
async function changeDuringSignIn(
  database: TestDatabase,
  { before, given }: { before: readonly ConsoleRole[]; given: readonly ConsoleRole[] },
  change: (organizationNo: number, contactId: string) => Promise<unknown>,
): Promise<{ roles: string[]; audit: string[] }> {
  const { owner } = database;
  const { organizationNo, contactId } = await givenPerson(database, before);
  const issuerId = await givenIdentity(database, organizationNo, contactId);
  const signIn = await owner.connect();
  try {
    await signIn.query('begin');
    const { prefix, secretSha256 } = makeKey('a0');
    const { rows } = await signIn.query(
      `select sign_in_with_issuer($1, 'ana', 'ana@example.com', true, 'Ana', $2, false, null, null, gen_random_uuid(), $3, $4, 60)
         as outcome`,
      [issuerId, given, prefix, secretSha256],
    );
    expect(rows).toEqual([{ outcome: 'signed_in' }]);
    const changed = change(organizationNo, contactId);
    await expectLockWaits(owner, 1);
    await signIn.query('commit');
    await changed;
  } finally {
    signIn.release(true);
  }
  const { rows: contacts } = await owner.query('select roles from contacts where id = $1', [contactId]);
  const { rows: audit } = await owner.query(
    `select split_part(actor, ' ', 1) || ': ' || array_to_string(fields, ' ') as change from audit_log
     where organization_no = $1 and object = 'contact' and action = 'update' order by no`,
    [organizationNo],
  );
  return { roles: contacts[0].roles, audit: audit.map((entry) => entry.change) };
}

test('a change of a contact keeps the roles that a sign-in sets meanwhile, and is compared with them', async ({
  database,
}) => {
  const changes: unknown[] = [];
  const after = await changeDuringSignIn(
    database,
    { before: ['administrator'], given: ['viewer'] },
    (organizationNo, contactId) =>
      transaction(database.operator, (tx) =>
        updateContact(operatorChange(tx, organizationNo), contactId, { language: 'es' }, ({ roles }) =>
          changes.push(roles),
        ),
      ),
  );
  expect(after).toMatchObject({ roles: ['viewer'], audit: ['issuer: roles', expect.stringMatching(/: language$/)] });
  expect(changes).toEqual([['viewer']]);
});

test('--console keeps the roles that a sign-in gives meanwhile', async ({ database }) => {
  const environment = { DATABASE_URL: database.urls.operator };
  const { roles } = await changeDuringSignIn(
    database,
    { before: [], given: ['technician'] },
    async (organizationNo) => {
      const code = await organizationCodeOf(database.owner, organizationNo);
      const names = ['--organization', code, '--as', 'tests'];
      expect(
        await runCommand(['contacts', 'update', 'ana@example.com', '--console', ...names], environment),
      ).toMatchObject({ stderr: '' });
    },
  );
  expect(roles).toEqual(['technician']);
});

test('a person who begins a change locks the contact before its session', async ({ database }) => {
  const { contactId, prefix, secretSha256 } = await givenPerson(database);
  await changeContactDuring(database, contactId, async () => {
    const values = [prefix, secretSha256, 'request'];
    const { rows } = await database.manager.query('select caller from begin_management($1, $2, $3)', values);
    expect(rows).toHaveLength(1);
  });
});

test('an owner who sends a dip while the customer is deleted with the tanks sends it before the deletion', async ({
  database,
}) => {
  const { operator, manager, owner } = database;
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo);
  const tank = await givenTank(operator, organizationNo, customer.no, { assigned_device_id: 'manual' });
  const { text, prefix } = await givenSession(database, { customerNo: customer.no });
  const dip = { organizationNo, tankNo: tank.no, atMs: Date.now(), fillPercentage: 40, ownerNo: customer.no };
  let deletion: Promise<unknown> | undefined;
  await transaction(manager, async (tx) => {
    const values = [prefix, parseKey(text)?.secretSha256, 'request'];
    const { rows } = await tx.query('select customer_no from begin_owner_change($1, $2, $3)', values);
    expect(rows).toEqual([{ customer_no: customer.no }]);
    deletion = transaction(operator, (other) =>
      deleteCustomer(other, organizationNo, customer.no, { withTanks: true }),
    );
    deletion.catch(() => {});
    await expectLockWaits(owner, 1);
    await recordDip(tx, dip);
  });
  expect(await deletion).toEqual({ tanks: 1 });
});

test('a dip waits for a deletion of its tank, or for its sensor, and is then refused', async ({ database }) => {
  const { operator, manager, owner } = database;
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo);
  const changes: [string, (tx: Tx, tankNo: number) => Promise<unknown>][] = [
    ['there is no such tank', (tx, tankNo) => deleteTank(tx, organizationNo, tankNo)],
    ['this tank has a sensor', (tx, tankNo) => assignDevice(tx, organizationNo, tankNo, 'ABCD1234', undefined)],
  ];
  for (const [refusal, change] of changes) {
    const tank = await givenTank(operator, organizationNo, customer.no, { assigned_device_id: 'manual' });
    const dip = { organizationNo, tankNo: tank.no, atMs: Date.now(), fillPercentage: 40, ownerNo: null };
    let recorded: Promise<unknown> | undefined;
    await transaction(operator, async (tx) => {
      await change(tx, tank.no);
      recorded = transaction(manager, (other) => recordDip(other, dip));
      recorded.catch(() => {});
      await expectLockWaits(owner, 1);
    });
    await expect(recorded).rejects.toThrow(refusal);
    const { rows } = await owner.query('select from waiting_dips where tank_no = $1', [tank.no]);
    expect(rows).toEqual([]);
  }
});

test('delivery days of a tank wait for its deletion, and are then refused', async ({ database }) => {
  const { operator, owner } = database;
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo);
  const tank = await givenTank(operator, organizationNo, customer.no);
  let set: Promise<unknown> | undefined;
  await transaction(operator, async (tx) => {
    await deleteTank(tx, organizationNo, tank.no);
    set = transaction(operator, (other) =>
      setDeliveryDays(operatorChange(other, organizationNo), { tankNo: tank.no }, [1]),
    );
    set.catch(() => {});
    await expectLockWaits(owner, 1);
  });
  await expect(set).rejects.toThrow('there is no such tank');
});

test.for([false, true])(
  'the removal of an issuer locks the issuer, then its people, then their sessions (with their roles kept: %s)',
  async (keepsRoles, { database }) => {
    const { operator, owner } = database;
    const { organizationNo, contactId, prefix } = await givenPerson(database);
    const id = await givenIdentity(database, organizationNo, contactId);
    await owner.query('update sessions set issuer_no = (select no from issuers where id = $1) where prefix = $2', [
      id,
      prefix,
    ]);
    await changeContactDuring(
      database,
      contactId,
      () => transaction(operator, (tx) => removeIssuer(tx, organizationNo, id, { keepsRoles })),
      async () => {
        const lockIssuer = owner.query('select from issuers where id = $1 for share nowait', [id]);
        await expect(lockIssuer).rejects.toThrow(/could not obtain lock/);
      },
    );
  },
);

async function givenOwner(database: TestDatabase) {
  const { operator, owner } = database;
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo, { external_key: 'C-1' });
  const names = ['--organization', await organizationCodeOf(owner, organizationNo), '--as', 'tests'];
  const run = (...words: string[]) => runCommand([...words, ...names], { DATABASE_URL: database.urls.operator });
  return { organizationNo, customer, run };
}

test('no key is created for a customer who is deleted meanwhile', async ({ database }) => {
  const { operator, owner } = database;
  const { organizationNo, customer, run } = await givenOwner(database);
  const waiting = await transaction(operator, async (tx) => {
    await deleteCustomer(tx, organizationNo, customer.no);
    const done = run('keys', 'create', '--name', 'ERP', '--customer', 'C-1');
    await expectLockWaits(owner, 1);
    return { done };
  });
  expect(await waiting.done).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no customer') });
  expect((await owner.query('select from api_keys where customer_no = $1', [customer.no])).rowCount).toBe(0);
});

test.for(['the key is revoked', 'its customer is deleted'])(
  'a key is not replaced if %s meanwhile',
  async (change, { database }) => {
    const { operator, owner } = database;
    const { organizationNo, customer } = await givenOwner(database);
    const { prefix } = await givenKey(operator, { organizationNo, customerNo: customer.no });
    const waiting = await transaction(operator, async (tx) => {
      if (change === 'the key is revoked') await revokeKey(tx, prefix);
      else await deleteCustomer(tx, organizationNo, customer.no);
      const done = transaction(operator, (other) => rotateKey(other, prefix, 24));
      done.catch(() => {});
      await expectLockWaits(owner, 1);
      return { done };
    });
    await expect(waiting.done).rejects.toThrow('there is no valid key');
  },
);

test('a customer is not deleted by an external key that it loses meanwhile', async ({ database }) => {
  const { operator, owner } = database;
  const { organizationNo, customer, run } = await givenOwner(database);
  const waiting = await transaction(operator, async (tx) => {
    await updateCustomer(tx, organizationNo, customer, { external_key: 'C-2' });
    const done = run('customers', 'delete', 'C-1');
    await expectLockWaits(owner, 1);
    return { done };
  });
  expect(await waiting.done).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no customer') });
});
