import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, HttpClient, type HttpRequest } from '../../bench/load_client/http_client.ts';
import { atLeast, type Check, figure } from '../../bench/report.ts';
import type { RoleName } from '../../engines/installation.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { ATTACKER_ADDRESS, type Attack, type AttackContext } from '../abuse/attack.ts';
import { attackOf, get } from '../abuse/held_requests.ts';
import type { HonestPath } from '../abuse/honest_tenant.ts';
import { keepSending } from '../abuse/shared_database.ts';
import type { Attacker } from './organizations.ts';

const HONEST_PATHS: readonly HonestPath[] = ['read', 'fleet', 'watch', 'change', 'webhook', 'probe', 'idle'];
const ROLES: readonly RoleName[] = ['api', 'worker'];
/** The rate of all sessions together. */
const REQUESTS_PER_SECOND = 30;
const STREAMS = 1_000;

/** Makes the attacks of one organization on the others, with requests that its own people and keys may send. */
export function attacksOf(attacker: Attacker): Attack[] {
  const { manageKey, cookies, companyId, truckId, tankIds, notes } = attacker;
  const sessions = (n: number): Record<string, string> => ({ cookie: cookies[n % cookies.length] ?? '' });
  const common = { roles: ROLES, honestPaths: HONEST_PATHS } as const;
  const changes = (
    name: string,
    parallel: number,
    next: (n: number, context: AttackContext) => HttpRequest & { path: string },
    roles = ROLES,
  ): Attack => ({
    ...common,
    name,
    roles,
    async run(context) {
      let n = -1;
      return sendParallel(context, parallel, () => {
        n++;
        const { path, ...change } = next(n, context);
        return { key: manageKey, url: `${context.roles.apiUrl}/manage/v1${path}`, ...change };
      });
    },
  });
  return [
    {
      ...common,
      name: 'many-sessions',
      run: (context) =>
        sendAtRate(context, REQUESTS_PER_SECOND, (n) => ({
          url: `${context.roles.apiUrl}/fleet/v1/tanks?include=spark&size=200&owner_id=${companyId}`,
          headers: sessions(n),
        })),
    },
    // All roles run in one process, as in a small installation, where work that blocks the worker also blocks every answer.
    changes(
      'notes-without-tanks',
      1,
      (n) =>
        n === 0
          ? bulk('/delivery-notes/bulk', notes)
          : {
              method: 'PUT',
              path: '/delivery-notes/-/0',
              json: { ...notes[0], number: undefined, volume: 500 + (n % 9) },
            },
      ['all'],
    ),
    changes('proposals', 1, () => ({
      path: '/round-proposals',
      json: {
        date: new Date(Date.now() + DAY_MS).toISOString().slice(0, 10),
        truck_id: truckId,
        cities: Array.from({ length: 50 }, (_, city) => `City ${city * 4}`),
        called_tank_ids: tankIds.slice(0, 200),
      },
    })),
    changes('bulks', 4, (n, { isQuick }) => bulk('/customers/bulk', customers(n % 3, isQuick ? 1_000 : 10_000))),
    changes('mass-mutes', 64, (n) => ({
      method: 'PUT',
      path: `/tanks/${tankIds[n % tankIds.length]}/mute`,
      json: { until: new Date(Date.now() + DAY_MS).toISOString() },
    })),
    { ...common, name: 'streams', run: (context) => openStreams(context, sessions) },
    attackOf(
      {
        ...common,
        name: 'slow-readers',
        connections: 240,
        isReadSlowly: true,
        text: (() => {
          let n = -1;
          return () => {
            n++;
            return get('/fleet/v1/tanks.csv', `Cookie: ${cookies[n % cookies.length]}\r\n`);
          };
        })(),
      },
      undefined,
    ),
  ];
}

const secondsOf = ({ isQuick }: AttackContext): number => (isQuick ? 4 : 20);

const bulk = (path: string, lines: readonly object[]): HttpRequest & { path: string } => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/x-ndjson' },
  body: lines.map((line) => JSON.stringify(line)).join('\n'),
});

const customers = (version: number, lines: number): object[] =>
  Array.from({ length: lines }, (_, n) => ({
    external_key: `B${n}`,
    email: `bulk${n}@example.com`,
    name: `Bulk ${version}`,
  }));

async function sendParallel(
  context: AttackContext,
  parallel: number,
  next: () => HttpRequest & { url: string },
): Promise<Check[]> {
  const http = new HttpClient({ connections: parallel, localAddress: ATTACKER_ADDRESS });
  const answers = await keepSending(http, { parallel, seconds: secondsOf(context) }, next);
  http.close();
  return checkServed(answers);
}

/** Sends requests at a fixed rate, whether or not earlier requests have an answer. */
async function sendAtRate(
  context: AttackContext,
  perSecond: number,
  requestOf: (n: number) => HttpRequest & { url: string },
): Promise<Check[]> {
  const http = new HttpClient({ connections: 500, localAddress: ATTACKER_ADDRESS });
  const sent: Promise<Answer>[] = [];
  const beginsMs = performance.now();
  for (let n = 0; n < perSecond * secondsOf(context); n++) {
    await sleep(Math.max(0, beginsMs + (n * 1_000) / perSecond - performance.now()));
    const { url, ...read } = requestOf(n);
    sent.push(http.send(url, { ...read, method: 'GET' }));
  }
  const answers = await Promise.all(sent);
  http.close();
  return checkServed(answers);
}

/** Checks that some of the attacker's requests were served. Otherwise it was not an attack. */
function checkServed(answers: readonly Answer[]): Check[] {
  const byStatus = Map.groupBy(answers, ({ status }) => status);
  const served = answers.filter(({ status }) => status >= 200 && status < 300).length;
  return [
    atLeast("the attacker's requests that were served", served, 1),
    ...[...byStatus].map(([status, sameStatus]) =>
      figure(`the attacker's requests that were answered with ${status}`, sameStatus.length),
    ),
  ];
}

/** Opens 1,000 live streams, and opens each again when it ends. */
async function openStreams(context: AttackContext, headers: (n: number) => Record<string, string>): Promise<Check[]> {
  const endMs = performance.now() + secondsOf(context) * 1_000;
  let opened = 0;
  let refused = 0;
  const hold = async (n: number): Promise<void> => {
    while (performance.now() < endMs) {
      await new Promise<void>((resolve) => {
        const stream = request(
          `${context.roles.apiUrl}/fleet/v1/live`,
          { agent: false, headers: headers(n), localAddress: ATTACKER_ADDRESS },
          (response) => {
            if (response.statusCode === 200) opened++;
            else refused++;
            response.resume().once('close', resolve);
          },
        );
        stream.once('error', () => resolve()).end();
        setTimeout(() => stream.destroy(), Math.max(0, endMs - performance.now()));
      });
      await sleep(200);
    }
  };
  await Promise.all(Array.from({ length: STREAMS }, (_, n) => hold(n)));
  return [
    atLeast("the attacker's streams that were opened", opened, 1),
    figure("the attacker's streams that were refused", refused),
  ];
}
