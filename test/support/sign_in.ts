import { pino } from 'pino';
import { expect } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { type ReceivedMail, startMailServer } from '../../engines/mail_server.ts';
import type { ConsoleRole } from '../../src/keys/console_roles.ts';
import { readWorkerConfig } from '../../src/settings/worker_settings.ts';
import { serveWorker } from '../../src/worker/serve.ts';
import { workerEnvironment } from './events.ts';
import { givenContact } from './fleet.ts';
import { callApi, type Response } from './http.ts';
import { LINK_SECRET, mailSettings, soon } from './mails.ts';
import { test as base, type TestDatabase } from './test.ts';

/** Two api processes, a worker and a mail server, with everything that they log. */
export interface SignInService {
  url: string;
  otherUrl: string;
  mails: ReceivedMail[];
  mailsTo(address: string): ReceivedMail[];
  /** Waits for the n-th mail to an address. */
  mail(address: string, n?: number): Promise<SignInMail>;
  logs: string[];
}

export interface SignInMail {
  mail: ReceivedMail;
  code: string;
  /** The path of the link. */
  link: string;
}

export const test = base.extend<{ $file: { service: SignInService } }>({
  service: [
    async ({ database }, use) => {
      const logs: string[] = [];
      const logger = pino({ level: 'trace' }, { write: (line: string) => void logs.push(line) });
      const mails: ReceivedMail[] = [];
      const mailServer = await startMailServer({ onMail: (mail) => mails.push(mail) });
      const api = () => startApi(database.urls.api, { LINK_SECRET, TRUSTED_PROXIES: '127.0.0.1' }, logger);
      const [first, second] = [await api(), await api()];
      const settings = { ...mailSettings(mailServer.url), PUBLIC_URL: first.url };
      const worker = await serveWorker(readWorkerConfig(workerEnvironment(database, settings)), logger);
      const mailsTo = (address: string): ReceivedMail[] => mails.filter(({ to }) => to.includes(address));
      await use({
        url: first.url,
        otherUrl: second.url,
        mails,
        mailsTo,
        logs,
        async mail(address, n = 1) {
          await expect.poll(() => mailsTo(address).length, soon).toBeGreaterThanOrEqual(n);
          const mail = mailsTo(address)[n - 1];
          if (mail === undefined) throw new Error('no mail');
          const [code = ''] = /^\d{8}$/m.exec(mail.text.replaceAll('\r', '')) ?? [];
          const [link = ''] = /\/session\/links\/[\w-]{43}/.exec(mail.text) ?? [];
          return { mail, code, link };
        },
      });
      await worker.close();
      await Promise.all([first.close(), second.close()]);
      await mailServer.stop();
    },
    { scope: 'file' },
  ],
});

let serial = 0;
export const newAddress = (name = 'person'): string => `${name}${serial++}@example.com`;

/** A contact who may use the console. */
export async function givenDispatcher(
  { operator }: Pick<TestDatabase, 'operator'>,
  organizationNo: number,
  email = newAddress('dispatch'),
  roles: readonly ConsoleRole[] = ['viewer'],
): Promise<string> {
  await givenContact(operator, organizationNo, { email, types: [], roles });
  return email;
}

/** A browser: it keeps cookies, and has an address of its own. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  readonly #url: string;
  readonly #address: string;

  constructor(url: string) {
    this.#url = url;
    this.#address = `2001:db8:${(serial++).toString(16)}::1`;
  }

  async call(path: string, options: { method?: string; json?: unknown; headers?: Record<string, string> } = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await callApi(this.#url, path, {
      method: options.method ?? (options.json === undefined ? 'GET' : 'POST'),
      ...(options.json === undefined ? {} : { body: JSON.stringify(options.json) }),
      headers: {
        'x-forwarded-for': this.#address,
        ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookie === '' ? {} : { cookie }),
        ...options.headers,
      },
    });
    for (const text of cookiesOf(response)) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  ask = (email: string, more = {}): Promise<Response> => this.call('/session/mails', { json: { email, ...more } });
  type = (code: string): Promise<Response> => this.call('/session', { json: { code } });
  choose = (choice: string): Promise<Response> => this.call('/session', { json: { choice } });
  /** Presses the button of the page that the link opens, as a form of that page sends it. */
  press = (link: string): Promise<Response> =>
    this.call(link, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'null',
        'sec-fetch-site': 'same-origin',
      },
    });
  status = async (path = '/v1/tanks'): Promise<number> => (await this.call(path)).status;
}

export const cookiesOf = ({ headers }: Response): string[] => [headers['set-cookie'] ?? []].flat();

/** Asks for a mail, and types its code. */
export async function signInByMail(service: SignInService, email: string, url = service.url): Promise<TestBrowser> {
  const browser = new TestBrowser(url);
  const mailsBefore = service.mailsTo(email).length;
  await browser.ask(email);
  const { code } = await service.mail(email, mailsBefore + 1);
  const { status } = await browser.type(code);
  expect(status).toBe(204);
  return browser;
}
