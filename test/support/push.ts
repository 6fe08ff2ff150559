import {
  newBrowserKeys,
  type RunningPushService,
  type SubscribedBrowser,
  startPushService,
} from '../../engines/push_service.ts';
import type { addContact } from '../../src/mail/contacts.ts';
import { givenContact } from './fleet.ts';
import { type TestDatabase, untilTestEnds } from './test.ts';

export async function givenPushService(): Promise<RunningPushService> {
  return untilTestEnds(startPushService());
}

/** A person who can use the console. */
export const givenPerson = (
  { operator }: TestDatabase,
  organizationNo: number,
  name: string,
  more: Partial<Parameters<typeof addContact>[1]> = {},
): Promise<{ id: string }> =>
  givenContact(operator, organizationNo, {
    email: `${name}${organizationNo}@example.com`,
    name,
    roles: ['dispatcher'],
    ...more,
  });

/** A browser in which the person has turned notifications on. */
export async function givenBrowser(
  { owner }: TestDatabase,
  service: RunningPushService,
  { id }: { id: string },
): Promise<SubscribedBrowser> {
  const { rows } = await owner.query<{ public_key: string }>('select public_key from push_keys');
  const browser = service.subscribe(rows[0]?.public_key);
  const { endpoint, p256dh, auth } = browser;
  await owner.query(
    `insert into push_subscriptions (organization_no, contact_no, session_prefix, endpoint, p256dh, auth, name)
     select organization_no, no, 'none', $2, $3, $4, 'Chrome, Android' from contacts where id = $1`,
    [id, endpoint, p256dh, auth],
  );
  return browser;
}

let serial = 0;
/** A browser of a push service that is reachable from everywhere. Nothing is sent to it here. */
export function newSubscription(endpoint = `https://9.9.9.9/wpush/${serial++}`) {
  const { p256dh, auth } = newBrowserKeys();
  const keys = { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') };
  return { endpoint, keys, name: 'Chrome, Android' };
}
