import type { Pool } from 'pg';
import { operatorChange } from '../catalog/change_context.ts';
import { createOrganization, findOrganization } from '../catalog/organizations.ts';
import { transaction } from '../db/pool.ts';
import { addContact } from '../mail/contacts.ts';

/** The contact whose sign-in link `tankwatch up` prints. No mail can be sent to it. */
export const CONSOLE_ADDRESS = 'console@localhost';

/** Creates the first organization and the contact that may open its console, as its administrator. Returns whether it was created. */
export async function createFirstOrganization(
  operator: Pool,
  { code, name, actor }: { code: string; name: string; actor: string },
): Promise<boolean> {
  return transaction(operator, async (tx) => {
    await tx.query(`select set_config('tankwatch.actor', $1, true)`, [actor]);
    if ((await findOrganization(tx, code)) !== undefined) return false;
    const no = await createOrganization(tx, { code, name });
    await addContact(operatorChange(tx, no), { email: CONSOLE_ADDRESS, roles: ['administrator'] });
    return true;
  });
}
