import { pino } from 'pino';
import { expect } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { transaction } from '../../src/db/pool.ts';
import { addIssuer, type IssuerFields, updateIssuer } from '../../src/oidc/issuers.ts';
import { firstFreePort } from '../../src/setup/first_free_port.ts';
import { deriveApiSecretsKey } from '../../src/values/api_secrets_key.ts';
import { SECRETS_KEY } from '../support/events.ts';
import { givenOrganization, organizationCodeOf } from '../support/fleet.ts';
import type { Response } from '../support/http.ts';
import { LINK_SECRET } from '../support/mails.ts';
import { type Account, CLIENT, ProviderBrowser, startProvider, type TestProvider } from '../support/provider.ts';
import { newAddress, TestBrowser } from '../support/sign_in.ts';
import { test as base, type TestDatabase } from '../support/test.ts';

/** An api process, and an organization with two issuers, each with a provider of its own. */
export interface IssuerService {
  url: string;
  organizationNo: number;
  organizationCode: string;
  provider: TestProvider;
  issuerId: string;
  other: { provider: TestProvider; issuerId: string };
  logs: string[];
  /** Changes the first issuer. */
  update(fields: IssuerFields): Promise<void>;
}

export const API_SECRETS_KEY = deriveApiSecretsKey(SECRETS_KEY);
export const DOMAIN = 'example.com';

export const test = base.extend<{ $file: { service: IssuerService } }>({
  service: [
    async ({ database }, use) => {
      const logs: string[] = [];
      const logger = pino({ level: 'trace' }, { write: (line: string) => void logs.push(line) });
      const port = await firstFreePort(20_000 + (process.pid % 20_000), []);
      const url = `http://127.0.0.1:${port}`;
      const settings = { API_PORT: String(port), PUBLIC_URL: url, API_SECRETS_KEY, LINK_SECRET };
      const api = await startApi(database.urls.api, { ...settings, TRUSTED_PROXIES: '127.0.0.1' }, logger);
      const organizationNo = await givenOrganization(database.operator);
      const code = await organizationCodeOf(database.owner, organizationNo);
      const [first, second] = await Promise.all([
        givenIssuer(database, organizationNo, url, { domains: [DOMAIN] }),
        givenIssuer(database, organizationNo, url, { label: 'The other one' }),
      ]);
      await use({
        url,
        organizationNo,
        organizationCode: code,
        ...first,
        other: second,
        logs,
        update: (fields) =>
          transaction(database.operator, async (tx) => {
            await updateIssuer(tx, organizationNo, first.issuerId, fields, API_SECRETS_KEY);
          }),
      });
      await api.close();
      await Promise.all([first.provider.close(), second.provider.close()]);
    },
    { scope: 'file' },
  ],
});

async function givenIssuer({ operator }: TestDatabase, organizationNo: number, url: string, fields: IssuerFields) {
  const provider = await startProvider();
  const issuer = { url: provider.url, clientId: CLIENT.id, clientSecret: CLIENT.secret, ...fields };
  const { id } = await transaction(operator, (tx) => addIssuer(tx, organizationNo, issuer, API_SECRETS_KEY));
  provider.start([`${url}/session/issuers/${id}/callback`], `${url}/console/`);
  return { provider, issuerId: id };
}

let serial = 0;

/** Creates the account of a person at the provider. */
export function givenAccount({ provider }: Pick<IssuerService, 'provider'>, claims: Partial<Account> = {}): Account {
  const sub = claims.sub ?? `person-${serial++}`;
  const account = { email: newAddress('ana'), email_verified: true, name: 'Ana', ...claims, sub };
  provider.accounts.set(sub, account);
  return account;
}

/** Signs in at the provider, and returns the browser with the callback, which it has not opened yet. */
export async function returnFrom(
  { url, issuerId }: Pick<IssuerService, 'url' | 'issuerId'>,
  sub: string,
  { browser = new TestBrowser(url), atProvider = new ProviderBrowser(), body = {} } = {},
): Promise<{ browser: TestBrowser; atProvider: ProviderBrowser; callback: URL }> {
  const begun = await browser.call(`/session/issuers/${issuerId}`, { json: body });
  expect([begun.status, begun.json]).toEqual([200, { object: 'sign_in', url: expect.any(String) }]);
  return { browser, atProvider, callback: await atProvider.walk(begun.json.url, sub) };
}

export const open = (browser: TestBrowser, { pathname, search }: URL): Promise<Response> =>
  browser.call(`${pathname}${search}`);

/** Signs in at the provider, and opens the callback. */
export async function signInWith(
  service: Pick<IssuerService, 'url' | 'issuerId'>,
  sub: string,
  options: Parameters<typeof returnFrom>[2] = {},
): Promise<{ browser: TestBrowser; atProvider: ProviderBrowser; answer: Response }> {
  const { browser, atProvider, callback } = await returnFrom(service, sub, options);
  return { browser, atProvider, answer: await open(browser, callback) };
}
