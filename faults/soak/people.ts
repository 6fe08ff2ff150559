import type { Installation } from '../../engines/installation.ts';
import { issueKeys } from '../../engines/tenant.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { createCustomers } from '../../src/catalog/customers.ts';
import { updateTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { EVENT_TYPES } from '../../src/evaluation/pure/alerts/event_types.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';

/** Every personal value contains one of these: a word in texts, digits in phone numbers and coordinates. */
export const PERSONAL = ['Quxzamora', '943 918273', '943918273', '43.18273', '2.26615'];

const CUSTOMERS = 60;
/** This number is needed, because an address gets only a few sign-in mails an hour, and a run needs 1,200. */
const CONTACTS = 300;

export interface People {
  /** The addresses of contacts and customers who may sign in. */
  addresses: readonly string[];
  customerNames: readonly string[];
  tankIds: readonly string[];
  readKeys: readonly string[];
  webhookSecret: string;
}

/** Creates customers, contacts, keys and a webhook, and changes the tanks, with personal values that occur nowhere else. */
export async function provisionPeople(installation: Installation, webhookUrl: string): Promise<People> {
  const { owner, organizationNo, tanks, secretsKey } = installation;
  const people = await transaction(owner, async (tx) => {
    const given = Array.from({ length: CUSTOMERS }, (_, n) => ({
      external_key: `Quxzamora-${n}`,
      name: `Íñigo Quxzamora ${n}`,
      email: `inigo${n}@quxzamora.example`,
      phone: `+34 943 918273${n}`,
      is_verified: true,
      verified_at: new Date().toISOString(),
    }));
    const customers = await createCustomers(tx, organizationNo, given);
    for (const [n, { no: tankNo }] of tanks.entries()) {
      const customer = customers[n % CUSTOMERS];
      if (customer !== undefined) await updateTank(tx, organizationNo, tankNo, { owner_no: customer.no });
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
      await addContact(operatorChange(tx, organizationNo), {
        email,
        types: n < 3 ? EVENT_TYPES : [],
        roles: ['viewer'],
      });
    const { secret } = await createEndpoint(tx, organizationNo, { url: webhookUrl, types: [] }, secretsKey);
    return {
      addresses: [...contacts, ...given.map(({ email }) => email)],
      customerNames: given.map(({ name }) => name),
      tankIds: tanks.map(({ id }) => id),
      webhookSecret: secret,
      customerNo: customers[0]?.no ?? null,
    };
  });
  const key = { organizationNo, name: 'App de Quxzamora' };
  const narrowedKeys = await issueKeys(owner, 1, { ...key, customerNo: people.customerNo });
  return { ...people, readKeys: [...(await issueKeys(owner, 3, key)), ...narrowedKeys] };
}
