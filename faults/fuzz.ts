import { Agent, request as send } from 'node:http';
import { pino } from 'pino';
import { atLeast, atMost, type BenchOptions, figure, type Report } from '../bench/report.ts';
import { startDatabase } from '../engines/database.ts';
import { serveApi } from '../src/api/serve.ts';
import { readApiConfig } from '../src/settings/api_settings.ts';
import { type FuzzRequest, FuzzRequests } from './fuzz/requests.ts';
import { createTenants, type FuzzCaller } from './fuzz/tenants.ts';

const REQUESTS = 100_000;
const QUICK_REQUESTS = 5_000;
const PARALLEL = 24;
const SEED = 20_261_116;
/** A request whose connection is idle for this time fails. */
const MAX_ANSWER_MS = 20_000;
const MAX_LISTED = 20;

interface Answer {
  status: number;
  text: string;
}

/** Sends random requests over every route, method and kind of caller. No answer may be a 5xx or contain data of others. */
export async function runFuzz(
  { isQuick, log }: BenchOptions,
  count = isQuick ? QUICK_REQUESTS : REQUESTS,
): Promise<Report> {
  await using database = await startDatabase();
  const errors: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });
  const api = await serveApi(
    readApiConfig({
      API_DATABASE_URL: database.urls.api,
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      API_DRAIN_MS: '0',
      LINK_SECRET: 'a secret of at least thirty-two characters',
      TRUSTED_PROXIES: '127.0.0.1',
    }),
    logger,
  );
  try {
    return await fuzz(api.url, await createTenants(database.owner, api.url), count);
  } finally {
    await api.close();
    for (const line of errors.slice(0, MAX_LISTED)) log(line.trim());
  }
}

async function fuzz(url: string, tenants: Awaited<ReturnType<typeof createTenants>>, count: number): Promise<Report> {
  const requests = new FuzzRequests(tenants, SEED);
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
  const statuses = new Map<number, number>();
  const failed: string[] = [];
  const leaked: string[] = [];
  let sent = 0;
  const work = async (): Promise<void> => {
    while (sent < count) {
      sent++;
      const { caller, request } = requests.next();
      const { status, text } = await sendRequest(url, request, agent);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500 || status === 0) failed.push(describeRequest(caller, request, status));
      const found = findForeignText(caller, request, text);
      if (found !== undefined) leaked.push(`${found} in ${describeRequest(caller, request, status)}`);
      requests.learn(text);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  agent.destroy();
  return {
    name: 'fuzz',
    seed: SEED,
    statuses: Object.fromEntries([...statuses].toSorted(([a], [b]) => a - b)),
    failed: failed.slice(0, MAX_LISTED),
    leaked: leaked.slice(0, MAX_LISTED),
    checks: [
      atLeast('requests', sent, count),
      // Enough requests must get past parsing and authentication. Otherwise the run would not test the operations.
      atLeast('answers 200 (% of requests)', (100 * (statuses.get(200) ?? 0)) / sent, 10),
      atLeast('cursors to forge from', requests.knownCursors, 1),
      atMost('5xx and broken connections', failed.length, 0),
      atMost('answers with ids or names of other callers', leaked.length, 0),
      figure('answers 422', statuses.get(422) ?? 0),
    ],
  };
}

const describeRequest = ({ kind }: FuzzCaller, { method, path, body }: FuzzRequest, status: number): string =>
  `${status} ${method} ${path.slice(0, 300)} (${kind})${body === undefined ? '' : ` ${body.slice(0, 60)}`}`;

/** Finds data of others in an answer. Texts of the request itself may come back, for example in an error. */
function findForeignText({ foreign }: FuzzCaller, { path, body = '' }: FuzzRequest, text: string): string | undefined {
  const requestText = decodeURIComponent(path.replaceAll(/%(?![0-9a-f]{2})|%[89a-f][0-9a-f]/gi, '')) + body;
  return foreign.find((value) => text.includes(value) && !requestText.includes(value));
}

/** Sends a request. The status is 0 if the connection broke. A stream of events is closed after its first event. */
function sendRequest(url: string, { method, path, headers, body }: FuzzRequest, agent: Agent): Promise<Answer> {
  return new Promise((resolve) => {
    const length: Record<string, string> =
      body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sending = send(url, { method, path, headers: { ...headers, ...length }, agent }, (response) => {
      let text = '';
      const end = (): void => resolve({ status: response.statusCode ?? 0, text });
      response.setEncoding('utf8').on('end', end).on('error', end);
      response.on('data', (chunk: string) => {
        text += chunk;
        if (response.headers['content-type'] !== 'text/event-stream') return;
        end();
        response.destroy();
      });
    });
    sending.setTimeout(MAX_ANSWER_MS, () => sending.destroy());
    sending.on('error', () => resolve({ status: 0, text: '' }));
    sending.end(body);
  });
}
