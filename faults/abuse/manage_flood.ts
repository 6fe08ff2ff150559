import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, countStatus, HttpClient, type HttpRequest } from '../../bench/load_client/http_client.ts';
import { atLeast, atMost, figure } from '../../bench/report.ts';
import { ATTACKER_ADDRESS, type Attack } from './attack.ts';

const PARALLEL = 64;
const BULK_LINES = 2_000;
const RETRY_MS = 50;

type RequestTo = HttpRequest & { path: string };

const customerOf = (n: number): object => ({ email: `flood${n}@example.com`, name: `Flood ${randomUUID()}` });

/** Changes of one object, new objects, and many lines at once, as an ERP with an error would send them. */
const CHANGES: readonly ((n: number) => RequestTo)[] = [
  (n) => ({ method: 'PUT', path: `/customers/external_key/F${n % 50}`, json: customerOf(n % 50) }),
  (n) => ({
    method: 'POST',
    path: '/customers',
    headers: { 'idempotency-key': randomUUID() },
    json: customerOf(n),
  }),
  () => ({
    method: 'POST',
    path: '/customers/bulk',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Array.from({ length: BULK_LINES }, (_, line) =>
      JSON.stringify({ ...customerOf(line), external_key: `B${line}` }),
    ).join('\n'),
  }),
  (n) => ({ method: 'PUT', path: `/customers/external_key/F${n % 50}`, json: { email: 'none', name: '' } }),
];

const STATUSES = [200, 201, 207, 409, 413, 422, 429, 503] as const;

/** A key with the scope manage sends as many changes as it can. Others read and change as before. */
export const manageFlood: Attack = {
  name: 'manage-flood',
  roles: ['api'],
  honestPaths: ['fleet', 'read', 'change'],
  async run({ installation, roles, isQuick }) {
    const http = new HttpClient({ connections: PARALLEL, localAddress: ATTACKER_ADDRESS });
    const answers: Answer[] = [];
    const endMs = performance.now() + (isQuick ? 4 : 10) * 1_000;
    await Promise.all(
      Array.from({ length: PARALLEL }, async (_, sender) => {
        for (let n = sender; performance.now() < endMs; n += PARALLEL) {
          const { path, ...request } = CHANGES[n % CHANGES.length]?.(n) ?? { path: '/customers' };
          const answer = await http.send(`${roles.apiUrl}/manage/v1${path}`, {
            ...request,
            key: installation.attacker.manageKey,
          });
          answers.push(answer);
          if (answer.status >= 400 || answer.status === 0) await sleep(RETRY_MS);
        }
      }),
    );
    http.close();
    const cutOff = countStatus(answers, 0);
    const known = STATUSES.reduce((sum, status) => sum + countStatus(answers, status), cutOff);
    return [
      ...STATUSES.map((status) =>
        figure(`the attacker's changes that were answered with ${status}`, countStatus(answers, status)),
      ),
      atLeast("the attacker's changes that were made", countStatus(answers, 200) + countStatus(answers, 201), 1),
      // The server lets a sender upload 32 bodies at once, and cuts off the oldest if there are more.
      figure("the attacker's changes that were cut off", cutOff),
      atMost("the attacker's changes that ended otherwise", answers.length - known, 0),
    ];
  },
};
