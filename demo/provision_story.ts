import { operatorChange } from '../src/catalog/change_context.ts';
import { createCustomers } from '../src/catalog/customers.ts';
import { createTanks } from '../src/catalog/tanks.ts';
import { transaction } from '../src/db/pool.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { issueKey } from '../src/keys/issue_key.ts';
import { addContact } from '../src/mail/contacts.ts';
import { createEndpoint } from '../src/webhooks/endpoints.ts';
import type { Databases } from './provision.ts';
import { BAKERY, type StoryTank } from './story.ts';

/** The dispatcher who gets the mails of the organization, and may sign in to the console. */
export const DISPATCHER = 'dispatch@champlain.example';
const MAILED_TYPES = [
  'tank.low_fill',
  'tank.refilled',
  'tank.rapid_loss',
  'tank.gauge_unreliable',
  'tank.device_silent',
] as const;

/**
 * Creates the tanks of the story with their history, a contact who gets mails, and a webhook. Returns the secret of the
 * webhook, the id of the tank that is refilled, and a key that plans rounds.
 */
export async function provisionStory(
  { operator, writer }: Databases,
  organizationNo: number,
  storyTanks: readonly StoryTank[],
  webhook: { url: string; secretsKey: string },
): Promise<{ secret: string; refilledTankId: string; planningKey: string }> {
  const created = await transaction(operator, async (tx) => {
    await addContact(operatorChange(tx, organizationNo), {
      email: DISPATCHER,
      types: MAILED_TYPES,
      roles: ['administrator'],
    });
    const { secret } = await createEndpoint(tx, organizationNo, { url: webhook.url, types: [] }, webhook.secretsKey);
    const [customer] = await createCustomers(tx, organizationNo, [
      {
        name: 'Church Street Foods',
        email: 'office@churchstreet.example',
        phone: '+1 802 555 0142',
        external_key: 'C-STORY',
        is_verified: true,
      },
    ]);
    const owner_no = customer?.no ?? 0;
    const tanks = await createTanks(
      tx,
      organizationNo,
      storyTanks.map(({ tank }) => ({ ...tank, owner_no })),
    );
    const name = 'Demo: plans rounds';
    const { text: planningKey } = await issueKey(tx, { organizationNo, name, scopes: ['read', 'manage'] });
    return { secret, tanks, planningKey };
  });
  const ingester = new BatchIngester(writer);
  for (const [index, { history }] of storyTanks.entries()) {
    const tankNo = created.tanks[index]?.no ?? 0;
    await ingester.ingestReadings(history.map((reading) => ({ tankNo, ...reading })));
  }
  const { secret, planningKey, tanks } = created;
  const refilled = storyTanks.findIndex(({ tank }) => tank.assigned_device_id === BAKERY);
  return { secret, planningKey, refilledTankId: tanks[refilled]?.id ?? '' };
}
