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
let signIns = 0;

/**
 * Signs in as a person does: requests a mail, opens its link or types its code, reads some tanks, and signs out. Returns whether
 * each step succeeded.
 */
export async function signIn(
  call: Call,
  mails: readonly ReceivedMail[],
  email: string,
  { tokens, codes }: SignInSecrets,
): Promise<boolean> {
  signIns++;
  const usesCode = signIns % 2 === 0;
  // Each sign-in has another address, because the number of mails per address is limited.
  const headers: Record<string, string> = { 'x-forwarded-for': `2001:db8:${(signIns % 65_536).toString(16)}::1` };
  const mailsBefore = mails.length;
  const requested = await call('/session/mails', { headers, json: { email } });
  const [, requestToken = ''] = /^__Host-tankwatch-sign-in=([\w-]+)/.exec(cookiesOf(requested)[0] ?? '') ?? [];
  tokens.add(requestToken);
  const text = await untilMailTo(email, mails, mailsBefore);
  const [, token = ''] = /\/session\/links\/([\w-]{43})/.exec(text) ?? [];
  const [code = ''] = /^\d{8}$/m.exec(text.replaceAll('\r', '')) ?? [];
  if (token === '' || code === '') return false;
  tokens.add(token);
  codes.add(code);
  const signedIn = usesCode
    ? await call('/session', {
        headers: { ...headers, cookie: `__Host-tankwatch-sign-in=${requestToken}` },
        json: { code },
      })
    : await call(`/session/links/${token}`, { headers, method: 'POST' });
  const session =
    cookiesOf(signedIn)
      .map((cookie) => /^__Host-tankwatch=([^;]+)/.exec(cookie)?.[1])
      .find(Boolean) ?? '';
  tokens.add(session.split('.')[1] ?? '');
  const sessionHeaders = { ...headers, cookie: `__Host-tankwatch=${session}` };
  const statuses = [
    (await call('/session', { headers: sessionHeaders })).status,
    (await call('/fleet/v1/tanks?size=20', { headers: sessionHeaders })).status,
    (await call('/session', { headers: sessionHeaders, method: 'DELETE' })).status,
  ];
  return statuses.every((status) => status === 200 || status === 204);
}

const cookiesOf = ({ headers }: Answer): string[] => [headers['set-cookie'] ?? []].flat();

/** Waits for a mail with a sign-in link to this address, after the first `mailsBefore` mails. Returns its text, or '' after 30 s. */
async function untilMailTo(email: string, mails: readonly ReceivedMail[], mailsBefore: number): Promise<string> {
  const endMs = performance.now() + MAIL_TIMEOUT_MS;
  const isWanted = ({ to, text }: ReceivedMail): boolean => to.includes(email) && text.includes('/session/links/');
  while (performance.now() < endMs) {
    const mail = mails.slice(mailsBefore).find(isWanted);
    if (mail !== undefined) return mail.text;
    await sleep(100);
  }
  return '';
}
