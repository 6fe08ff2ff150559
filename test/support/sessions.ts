import { makeKey } from '../../src/keys/key_format.ts';
import type { TestDatabase } from './test.ts';

/** The session of a contact or an owner who has signed in, for a day. */
export async function givenSession(
  { owner }: Pick<TestDatabase, 'owner'>,
  who: { contactId: string } | { customerNo: number },
): Promise<{ text: string; prefix: string; cookie: string }> {
  const { text, prefix, secretSha256 } = makeKey('a0');
  const [column, source, value] =
    'contactId' in who
      ? ['contact_no', 'contacts where id = $3', who.contactId]
      : ['customer_no', 'customers where no = $3', who.customerNo];
  await owner.query(
    `insert into sessions (prefix, secret_sha256, ${column}, organization_no, requests_per_second, burst, expires_at)
     select $1, $2, no, organization_no, 1000, 10000, now() + interval '1 day' from ${source}`,
    [prefix, secretSha256, value],
  );
  return { text, prefix, cookie: `__Host-tankwatch=${text}` };
}
