import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../bench/load_client/http_client.ts';
import type { ReceivedMail } from '../../engines/mail_server.ts';
import type { Call } from './traffic.ts';

/** The secrets of sign-ins, which must not be in a log. */
export interface SignInSecrets {
  tokens: Set<string>;
  codes: Set<string>;
}

const MAIL_TIMEOUT_MS = 30_000;
let browsers = 0;

/** A person asks for a mail, opens its link or types its code, reads some tanks, and signs out. */
export async function signIn(
  call: Call,
  mails: readonly ReceivedMail[],
  email: string,
  { tokens, codes }: SignInSecrets,
): Promise<boolean> {
  const n = browsers++;
  // Each browser has an address of its own: there is a limit for mails per address.
  const headers: Record<string, string> = { 'x-forwarded-for': `2001:db8:${(n % 65_536).toString(16)}::1` };
  const known = mails.length;
  const asked = await call('/session/mails', { headers, json: { email } });
  const [, asking = ''] = /^__Host-tankwatch-sign-in=([\w-]+)/.exec(cookiesOf(asked)[0] ?? '') ?? [];
  tokens.add(asking);
  const text = await mailTo(email, mails, known);
  const [, token = ''] = /\/session\/links\/([\w-]{43})/.exec(text) ?? [];
  const [code = ''] = /^\d{8}$/m.exec(text.replaceAll('\r', '')) ?? [];
  if (token === '' || code === '') return false;
  tokens.add(token);
  codes.add(code);
  const signedIn =
    n % 2 === 0
      ? await call('/session', {
          headers: { ...headers, cookie: `__Host-tankwatch-sign-in=${asking}` },
          json: { code },
        })
      : await call(`/session/links/${token}`, { headers, method: 'POST' });
  const session =
    cookiesOf(signedIn)
      .map((cookie) => /^__Host-tankwatch=([^;]+)/.exec(cookie)?.[1])
      .find(Boolean) ?? '';
  tokens.add(session.split('.')[1] ?? '');
  const cookie = { ...headers, cookie: `__Host-tankwatch=${session}` };
  const statuses = [
    (await call('/session', { headers: cookie })).status,
    (await call('/fleet/v1/tanks?size=20', { headers: cookie })).status,
    (await call('/session', { headers: cookie, method: 'DELETE' })).status,
  ];
  return statuses.every((status) => status === 200 || status === 204);
}

const cookiesOf = ({ headers }: Answer): string[] => [headers['set-cookie'] ?? []].flat();

/** The text of the first mail with a sign-in link to this address, after the mails that were known before. */
async function mailTo(email: string, mails: readonly ReceivedMail[], known: number): Promise<string> {
  for (const endMs = performance.now() + MAIL_TIMEOUT_MS; performance.now() < endMs; await sleep(100)) {
    const mail = mails.slice(known).find(({ to, text }) => to.includes(email) && text.includes('/session/links/'));
    if (mail !== undefined) return mail.text;
  }
  return '';
}
