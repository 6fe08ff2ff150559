import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, countStatus, HttpClient, type HttpRequest } from '../../bench/load_client/http_client.ts';
import { atMost, type Check, figure } from '../../bench/report.ts';
import { organizationSecret } from '../../src/keys/organization_secret.ts';
import { makeLink } from '../../src/mail/signed_links.ts';
import { ATTACKER_ADDRESS, type Attack, type AttackContext } from './attack.ts';
import { ATTACKER_CODE } from './installation.ts';
import { type LargeTenant, largeTenant } from './large_tenant.ts';

const LINK_SECRET = 'f'.repeat(64);
const SETTINGS = { LINK_SECRET, PUBLIC_URL: 'http://127.0.0.1' };
/** A refused attacker tries again after this time. */
const RETRY_MS = 50;

const prepareTenant = ({ installation, isQuick }: AttackContext): Promise<LargeTenant> =>
  largeTenant(installation, isQuick ? 10_000 : 30_000);

/** Keeps `parallel` requests in progress until the time is over. */
export async function keepSending(
  http: HttpClient,
  { parallel, seconds }: { parallel: number; seconds: number },
  next: () => HttpRequest & { url: string },
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const endMs = performance.now() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (performance.now() < endMs) {
        const { url, ...request } = next();
        const answer = await http.send(url, request);
        answers.push(answer);
        if (answer.status !== 200) await sleep(RETRY_MS);
      }
    }),
  );
  return answers;
}

const checkAnswers = (answers: readonly Answer[]): Check[] => [
  figure("the attacker's requests that were served", countStatus(answers, 200)),
  figure("the attacker's requests that were refused with 503", countStatus(answers, 503)),
  atMost(
    "the attacker's requests that ended in 500 or without an answer",
    countStatus(answers, 500) + countStatus(answers, 0),
    0,
  ),
];

/** Keeps many equal reads in progress, with a key of the organization. */
const parallelReads = (name: string, parallel: number, path: (tenant: LargeTenant) => string): Attack => ({
  name,
  roles: ['api'],
  honestPaths: ['fleet', 'read'],
  async prepare(context) {
    await prepareTenant(context);
  },
  async run(context) {
    const tenant = await prepareTenant(context);
    const http = new HttpClient({ connections: parallel, localAddress: ATTACKER_ADDRESS });
    const answers = await keepSending(http, { parallel, seconds: context.isQuick ? 4 : 10 }, () => ({
      method: 'GET',
      url: context.roles.apiUrl + path(tenant),
      key: tenant.readKey,
    }));
    http.close();
    return checkAnswers(answers);
  },
});

export const parallelSparks = parallelReads(
  'parallel-sparks',
  16,
  ({ companyId }) => `/fleet/v1/tanks?include=spark&size=200&owner_id=${companyId}`,
);

export const parallelUsage = parallelReads(
  'parallel-usage',
  120,
  ({ companyId }) => `/fleet/v1/customers/${companyId}/usage`,
);

/** The session of a homeowner with one tank searches for texts that no index finds. */
export const unindexedSearch: Attack = {
  name: 'unindexed-search',
  roles: ['api'],
  honestPaths: ['fleet', 'read'],
  async prepare(context) {
    await prepareTenant(context);
  },
  async run(context) {
    const { homeownerKey } = await prepareTenant(context);
    const signedIn = await fetch(`${context.roles.apiUrl}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: homeownerKey }),
    });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    if (cookie === '') throw new Error(`no session: ${signedIn.status} ${await signedIn.text()}`);
    const http = new HttpClient({ connections: 40, localAddress: ATTACKER_ADDRESS });
    const texts = ['---', 'house', '%%%'];
    let requests = 0;
    const answers = await keepSending(http, { parallel: 40, seconds: context.isQuick ? 4 : 10 }, () => {
      requests++;
      const text = encodeURIComponent(texts[requests % texts.length] ?? '');
      return { method: 'GET', url: `${context.roles.apiUrl}/fleet/v1/search?q=${text}`, headers: { cookie } };
    });
    http.close();
    return [
      ...checkAnswers(answers),
      figure("the attacker's requests that were refused with 422", countStatus(answers, 422)),
    ];
  },
};

/** The row of an organization is locked, as by a long import, while its customers open the links in their mails. */
export const lockedOrganization: Attack = {
  name: 'locked-organization',
  roles: ['api'],
  honestPaths: ['fleet', 'read'],
  settings: SETTINGS,
  async prepare(context) {
    await prepareTenant(context);
  },
  async run(context) {
    const { installation, roles, isQuick } = context;
    const { companyId, companyEmail } = await prepareTenant(context);
    const token = makeLink(
      organizationSecret(LINK_SECRET, ATTACKER_CODE),
      'verify',
      companyId,
      companyEmail,
      Date.now(),
    );
    const lock = await installation.owner.connect();
    const http = new HttpClient({ connections: 16, localAddress: ATTACKER_ADDRESS });
    try {
      await lock.query('begin');
      await lock.query('select from organizations where no = $1 for update', [installation.attacker.organizationNo]);
      const answers = await keepSending(http, { parallel: 16, seconds: isQuick ? 5 : 12 }, () => ({
        method: 'POST',
        url: `${roles.apiUrl}/links/${token}`,
      }));
      return checkAnswers(answers);
    } finally {
      await lock.query('rollback');
      lock.release();
      http.close();
    }
  },
};
