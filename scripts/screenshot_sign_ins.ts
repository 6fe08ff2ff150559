import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import type { BrowserContext, Page } from 'playwright-core';
import { operatorChange } from '../src/catalog/change_context.ts';
import { transaction } from '../src/db/pool.ts';
import type { ConsoleRole } from '../src/keys/console_roles.ts';
import { linkSecrets } from '../src/keys/own_secrets.ts';
import { makeCode, makeToken } from '../src/keys/sign_in_token.ts';
import { addContact } from '../src/mail/contacts.ts';
import { makeLink } from '../src/mail/signed_links.ts';
import { addIssuer } from '../src/oidc/issuers.ts';
import { type Album, Camera } from './screenshot_camera.ts';
import type { PictureFleet } from './screenshot_fleets.ts';

export const LINK_SECRET = randomBytes(32).toString('hex');
export const API_SECRETS_KEY = randomBytes(32).toString('hex');

export const SIGN_IN_NAMES = ['sign-in', 'sign-in-key', 'sign-in-code', 'sign-in-wrong', 'sign-in-choose'];
export const LINK_NAMES = [
  'link-sign-in',
  'link-gone',
  'link-verify',
  'link-verified',
  'link-unsubscribe',
  'link-unsubscribed',
  'link-resubscribed',
  'link-invalid',
];

/** A contact who may use the console. */
export async function givePerson(
  owner: Pool,
  { organizationNo }: PictureFleet,
  person: { email: string; name: string; roles: readonly ConsoleRole[] },
): Promise<void> {
  await transaction(owner, (tx) => addContact(operatorChange(tx, organizationNo), { types: [], ...person }));
}

export async function giveIssuer(owner: Pool, { organizationNo }: PictureFleet): Promise<void> {
  const issuer = { url: 'https://id.example.com', clientId: 'tankwatch', label: 'Green Mountain ID' };
  await transaction(owner, (tx) => addIssuer(tx, organizationNo, issuer, API_SECRETS_KEY));
}

/** Makes the token and the code that the worker puts into the mail for the newest request of an address. */
async function mailTo(owner: Pool, email: string): Promise<{ token: string; code: string }> {
  const [token, code] = [makeToken(), makeCode()];
  await owner.query(
    'select begin_sign_in_mail((select no from sign_ins where address = $1 order by no desc limit 1), $2, $3)',
    [email, token.sha256, code.sha256],
  );
  return { token: token.text, code: code.text };
}

/** Begins a session without the form. */
async function beginSession(page: Page, path: string, body: object): Promise<void> {
  const status = await page.evaluate<number, [string, string]>(
    async ([to, json]) =>
      (await fetch(to, { method: 'POST', headers: { 'content-type': 'application/json' }, body: json })).status,
    [path, JSON.stringify(body)],
  );
  if (status >= 300) throw new Error(`POST ${path} returned ${status}`);
}

export const signInWithKey = (page: Page, key: string): Promise<void> =>
  beginSession(page, '/session', { api_key: key });

/** The session of a person, who can make changes; a key cannot. */
export async function signInPerson(page: Page, owner: Pool, email: string): Promise<void> {
  await beginSession(page, '/session/mails', { email });
  await beginSession(page, '/session', { code: (await mailTo(owner, email)).code });
}

interface Signing {
  owner: Pool;
  album: Album;
  /** An organization of this language, and another one. */
  fleets: readonly [PictureFleet, PictureFleet];
  isWanted: (name: string) => boolean;
}

/** The pages before a session, and those that the links of mails open. */
export async function photographSignIns(context: BrowserContext, signing: Signing): Promise<void> {
  const { owner, album, fleets, isWanted } = signing;
  const camera = await Camera.open(context, album);
  const { page } = camera;
  const take = async (name: string): Promise<void> => {
    if (isWanted(name)) await camera.take(name);
  };
  const email = 'people@example.com';
  for (const fleet of fleets) await givePerson(owner, fleet, { email, name: 'Ana Vega', roles: ['viewer'] });

  await page.goto('/console/');
  await page.locator('input[type=email]').waitFor();
  await take('sign-in');
  await page.locator('main.sign-in p > button.link').first().click();
  await page.locator('input[type=password]').waitFor();
  await take('sign-in-key');
  await page.locator('main.sign-in p > button.link').first().click();
  await page.locator('input[type=email]').fill(email);
  await page.keyboard.press('Enter');
  await page.locator('input[autocomplete=one-time-code]').waitFor();
  await take('sign-in-code');
  const { token } = await mailTo(owner, email);
  await page.locator('input[autocomplete=one-time-code]').fill('00000000');
  await page.keyboard.press('Enter');
  await page.locator('input[aria-invalid=true]').waitFor();
  await take('sign-in-wrong');

  await page.goto(`/session/links/${token}`);
  await take('link-sign-in');
  await page.locator('button').click();
  await page.locator('.choices').waitFor();
  await take('sign-in-choose');
  await page.goto(`/session/links/${token}`);
  await take('link-gone');

  const { customer, code } = fleets[0];
  const [secret] = linkSecrets({ linkSecrets: [LINK_SECRET], secretsKeys: [] }, code, null);
  const link = (kind: 'verify' | 'unsubscribe'): string =>
    `/links/${makeLink(secret, kind, customer.id, customer.email, Date.now())}`;
  const press = async (): Promise<void> => {
    await Promise.all([page.waitForEvent('load'), page.locator('button').click()]);
  };
  for (const kind of ['verify', 'unsubscribe'] as const) {
    await page.goto(link(kind));
    await take(`link-${kind}`);
    await press();
    await take(kind === 'verify' ? 'link-verified' : 'link-unsubscribed');
  }
  await press();
  await take('link-resubscribed');
  await page.goto('/links/nothing');
  await take('link-invalid');
}
