import type { Pipeline } from '../../engines/pipeline.ts';
import { createCustomers } from '../../src/catalog/customers.ts';
import { transferTank, updateTank } from '../../src/catalog/tanks.ts';
import { onlyRow } from '../../src/db/only_row.ts';
import { transaction } from '../../src/db/pool.ts';
import { EVENT_TYPES } from '../../src/evaluation/pure/alerts/event_types.ts';
import { issueKey } from '../../src/keys/issue_key.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';

/** Every personal text contains this word, every phone number, latitude and longitude one of these digits. */
export const PERSONAL = ['Quxzamora', '943 918273', '943918273', '43.18273', '2.26615'];

const CUSTOMERS = 60;
/** An address gets a few sign-in mails an hour, and a run needs 1,200. */
const CONTACTS = 300;

export interface People {
  /** Of contacts and customers who may sign in. */
  addresses: readonly string[];
  customerNames: readonly string[];
  tankIds: readonly string[];
  readKeys: readonly string[];
  webhookSecret: string;
}

/** Customers, tanks, contacts, keys and a webhook, with personal values that occur nowhere else. */
export async function provisionPeople({ owner, tankNos, secretsKey }: Pipeline, webhookUrl: string): Promise<People> {
  return transaction(owner, async (tx) => {
    const organizationNo = onlyRow((await tx.query<{ no: number }>('select no from organizations')).rows).no;
    const given = Array.from({ length: CUSTOMERS }, (_, n) => ({
      external_key: `Quxzamora-${n}`,
      name: `Íñigo Quxzamora ${n}`,
      email: `inigo${n}@quxzamora.example`,
      phone: `+34 943 918273${n}`,
      is_verified: true,
      verified_at: new Date().toISOString(),
    }));
    const customers = await createCustomers(tx, organizationNo, given);
    for (const [n, tankNo] of tankNos.entries()) {
      const customer = customers[n % CUSTOMERS];
      if (customer !== undefined) await transferTank(tx, organizationNo, tankNo, customer.no);
      await updateTank(tx, organizationNo, tankNo, {
        name: `Depósito Quxzamora ${n}`,
        custom_id: `Quxzamora-T${n}`,
        street: `Quxzamora kalea ${n}`,
        city: 'Quxzamora-Azpeitia',
        latitude: 43.18273 + n / 1e8,
        longitude: -2.26615 - n / 1e8,
      });
    }
    const contacts = Array.from({ length: CONTACTS }, (_, n) => `dispatch${n}@quxzamora.example`);
    for (const [n, email] of contacts.entries())
      await addContact(tx, organizationNo, { email, types: n < 3 ? EVENT_TYPES : [], hasConsole: true });
    const limits = { requestsPerSecond: 1_000_000, burst: 1_000_000 };
    const readKeys: string[] = [];
    for (const customerNo of [null, null, null, customers[0]?.no ?? null]) {
      const key = { organizationNo, customerNo, name: 'App de Quxzamora', scopes: ['read' as const], ...limits };
      readKeys.push((await issueKey(tx, key)).text);
    }
    const { secret } = await createEndpoint(tx, organizationNo, { url: webhookUrl, types: [] }, secretsKey);
    const { rows } = await tx.query<{ id: string }>('select id from tanks where deleted_at is null order by no');
    return {
      addresses: [...contacts, ...given.map(({ email }) => email)],
      customerNames: given.map(({ name }) => name),
      tankIds: rows.map(({ id }) => id),
      readKeys,
      webhookSecret: secret,
    };
  });
}
