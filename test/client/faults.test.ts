import { spawn } from 'node:child_process';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installClient, NODES, type NodeMajor, nodeBinary } from '../support/client.ts';

type Fault = (response: ServerResponse) => void;

const PAGE = JSON.stringify({ object: 'list', data: [], page: 1, size: 10, total_pages: 0, total_items: 0 });
const answerPage: Fault = (response) => response.setHeader('content-type', 'application/json').end(PAGE);
const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Fault =>
  (response) =>
    response.writeHead(status, headers).end(body);
const problem = (status: number, code: string, more: object = {}): Fault =>
  answer(
    status,
    { 'content-type': 'application/problem+json', 'x-request-id': 'theirs' },
    JSON.stringify({ type: 't', title: 'T', status, detail: `about ${code}`, code, request_id: 'theirs', ...more }),
  );

const hang: Fault = () => {};
const reset: Fault = (response) => response.socket?.resetAndDestroy();
const cutOffWithLength: Fault = (response) => {
  response.writeHead(200, { 'content-length': PAGE.length }).write(PAGE.slice(0, 20));
  setTimeout(() => response.socket?.end(), 20);
};
const cutOffInChunks: Fault = (response) => {
  response.writeHead(200).write(PAGE.slice(0, 20));
  setTimeout(() => response.socket?.end(), 20);
};
/** The response has no length and no chunks, so the end of the connection ends the body. Only its JSON is incomplete. */
const cutOffSilently: Fault = (response) =>
  response.socket?.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${PAGE.slice(0, 20)}`);
const hangInMidBody: Fault = (response) => response.writeHead(200).write(PAGE.slice(0, 20));

interface Attempt {
  key: string | string[] | undefined;
  requestId: string | string[] | undefined;
}

interface BadServer extends AsyncDisposable {
  url: string;
  attempts: Attempt[];
}

/** Answers each request with the next fault, and all later requests with the last one. */
async function badServer(...faults: Fault[]): Promise<BadServer> {
  const attempts: Attempt[] = [];
  const server = await listen((request, response) => {
    const fault = faults[attempts.length] ?? faults.at(-1);
    const { 'x-api-key': key, 'x-request-id': requestId } = request.headers;
    attempts.push({ key, requestId });
    fault?.(response);
  });
  return { url: urlOf(server), attempts, [Symbol.asyncDispose]: () => close(server) };
}

const listen = (listener: RequestListener): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer(listener).listen(0, '127.0.0.1', () => resolve(server));
  });

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

interface Outcome {
  ms: number;
  total_items?: number;
  name?: string;
  kinds?: string[];
  status?: number;
  code?: string;
  message?: string;
  requestId?: string;
  errors?: object[];
  retryAfterSeconds?: number;
}

/** Reads list calls from its input, makes them in parallel, and prints the result of each. */
const CALLER = `
import { createInterface } from 'node:readline';
import * as tankwatch from '@tankwatch/client';
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, abortAfterMs, ...options } = JSON.parse(line);
  const client = new tankwatch.Tankwatch({ apiKey: 'a0key.secret', ...options });
  const startedAt = performance.now();
  const print = (outcome) => console.log(JSON.stringify({ id, ms: performance.now() - startedAt, ...outcome }));
  const end = new AbortController();
  const abort = () => end.abort(new Error('changed my mind'));
  if (abortAfterMs === 0) abort();
  else if (abortAfterMs > 0) setTimeout(abort, abortAfterMs);
  try {
    print(await client.tanks.list({}, { signal: end.signal }));
  } catch (error) {
    const kinds = Object.keys(tankwatch).filter((kind) => kind.endsWith('Error') && error instanceof tankwatch[kind]);
    print({ ...error, name: error.name, message: error.message, kinds });
  }
});`;

interface Caller {
  call(options: object): Promise<Outcome>;
  stop(): void;
}

/** Runs the installed client in a separate process, on another version of Node. */
async function startCaller(major: NodeMajor): Promise<Caller> {
  const [node, { folder }] = await Promise.all([nodeBinary(major), installClient()]);
  const child = spawn(node, ['--input-type=module', '--eval', CALLER], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting: ((outcome: Outcome) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const outcome = JSON.parse(line);
    waiting[outcome.id]?.(outcome);
  });
  return {
    call: (options) =>
      new Promise((resolve) => {
        const id = waiting.push(resolve) - 1;
        child.stdin.write(`${JSON.stringify({ id, ...options })}\n`);
      }),
    stop: () => child.stdin.end(),
  };
}

describe.concurrent.each(Object.keys(NODES))('the client on Node %s', (major) => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await startCaller(Number(major) as NodeMajor);
  });
  afterAll(() => caller.stop());

  const call = (server: { url: string }, options: object = {}): Promise<Outcome> =>
    caller.call({ baseUrl: server.url, ...options });

  test.each([
    ['429', answer(429)],
    ['502 with the HTML page of a proxy', answer(502, { 'content-type': 'text/html' }, '<h1>Bad gateway</h1>')],
    ['503', problem(503, 'unavailable')],
    ['409 of a request that is in progress', problem(409, 'idempotency_key_in_progress')],
    ['504', answer(504)],
    ['a reset connection', reset],
    ['a body shorter than its Content-Length', cutOffWithLength],
    ['a body without its last chunk', cutOffInChunks],
    ['incomplete JSON', cutOffSilently],
    ['a response that is not from Tankwatch', answer(200, {}, '<h1>Log in to this network</h1>')],
    ['an object of another type', answer(200, {}, '{"object":"customer"}')],
  ])('%s is retried after 0.25 to 0.5 s', async (_, fault) => {
    await using server = await badServer(fault, answerPage);
    const outcome = await call(server);
    expect(outcome).toMatchObject({ total_items: 0 });
    expect(server.attempts).toHaveLength(2);
    expect(outcome.ms).toBeGreaterThan(240);
    const [first, second] = server.attempts;
    expect(first?.key).toBe('a0key.secret');
    expect(first?.requestId).toMatch(/^[a-z0-9]{10,64}$/);
    expect(second?.requestId).toBe(first?.requestId);
  });

  test.each([
    ['seconds', () => '1'],
    ['a date', () => new Date(Date.now() + 2_000).toUTCString()],
  ])('Retry-After in %s is added to the delay', async (_, retryAfter) => {
    await using server = await badServer(
      (response) => answer(429, { 'retry-after': retryAfter() })(response),
      answerPage,
    );
    const outcome = await call(server);
    expect(outcome).toMatchObject({ total_items: 0 });
    // The date has whole seconds, so it is 1 to 2 s away. The delay adds at least 0.25 s.
    expect(outcome.ms).toBeGreaterThan(1_240);
    expect(outcome.ms).toBeLessThan(10_000);
  });

  test('a Retry-After of more than a minute is thrown without a retry', async () => {
    await using server = await badServer(answer(429, { 'retry-after': '61' }));
    const outcome = await call(server);
    expect(outcome).toMatchObject({ name: 'RateLimitError', status: 429, retryAfterSeconds: 61 });
    expect(server.attempts).toHaveLength(1);
  });

  test('the number of retries is limited, and each delay is about twice the one before', async () => {
    await using server = await badServer(problem(503, 'unavailable'));
    const outcome = await call(server);
    expect(outcome).toMatchObject({
      name: 'ServerError',
      kinds: ['ApiError', 'ServerError', 'TankwatchError'],
      status: 503,
      code: 'unavailable',
      requestId: 'theirs',
      message: 'about unavailable',
    });
    expect(server.attempts).toHaveLength(4);
    expect(outcome.ms).toBeGreaterThan(250 + 500 + 1_000 - 10);
    expect(outcome.ms).toBeLessThan(10_000);
  });

  test.each([
    ['hangs', hang],
    ['hangs in the middle of its response', hangInMidBody],
  ])('if a server %s, each attempt takes timeoutMs, then a TimeoutError is thrown', async (_, fault) => {
    await using server = await badServer(fault);
    const outcome = await call(server, { timeoutMs: 1_500, maxRetries: 1 });
    expect(outcome).toMatchObject({
      name: 'TimeoutError',
      kinds: ['ConnectionError', 'TankwatchError', 'TimeoutError'],
      message: `no complete response from ${server.url} within 1500 ms`,
      requestId: server.attempts[0]?.requestId,
    });
    expect(server.attempts).toHaveLength(2);
    expect(outcome.ms).toBeGreaterThan(1_500 + 250 + 1_500 - 10);
  });

  test('a refused connection is a ConnectionError', async () => {
    const { url, [Symbol.asyncDispose]: stop } = await badServer(answerPage);
    await stop();
    const outcome = await call({ url }, { maxRetries: 0 });
    expect(outcome).toMatchObject({ name: 'ConnectionError', kinds: ['ConnectionError', 'TankwatchError'] });
  });

  test.each([
    [400, 'malformed_request', 'BadRequestError'],
    [401, 'unauthorized', 'AuthenticationError'],
    [403, 'forbidden', 'PermissionError'],
    [404, 'not_found', 'NotFoundError'],
    [418, 'teapot', 'ApiError'],
    [422, 'invalid_parameters', 'InvalidParametersError'],
    [500, 'internal_error', 'ServerError'],
  ])('%d %s is thrown as %s without a retry', async (status, code, name) => {
    const errors = [{ param: 'size', code: 'out_of_range', detail: 'Must be ...' }];
    await using server = await badServer(problem(status, code, { errors }));
    const outcome = await call(server);
    expect(outcome).toMatchObject({ name, status, code, errors, requestId: 'theirs', message: `about ${code}` });
    expect(server.attempts).toHaveLength(1);
  });

  test('an error without a problem body has a status and the request id of the client', async () => {
    await using server = await badServer(answer(404, {}, 'Not here'));
    const outcome = await call(server);
    expect(outcome).toMatchObject({ name: 'NotFoundError', status: 404, requestId: server.attempts[0]?.requestId });
    expect(outcome).not.toHaveProperty('code');
  });

  test.each([
    ['a call that has not started', answerPage, 0, 0],
    ['a hanging request', hang, 5_000, 1],
    ['the delay before a retry', answer(503, { 'retry-after': '30' }), 5_000, 1],
  ])('a signal aborts %s immediately, with its reason', async (_, fault, abortAfterMs, attempts) => {
    await using server = await badServer(fault);
    const outcome = await call(server, { abortAfterMs });
    expect(outcome).toMatchObject({ message: 'changed my mind', kinds: [] });
    expect(outcome.ms).toBeLessThan(abortAfterMs + 5_000);
    expect(server.attempts).toHaveLength(attempts);
  });

  test('a redirect is not followed, so the key is not sent to its target', async () => {
    await using elsewhere = await badServer(answerPage);
    await using server = await badServer(answer(307, { location: elsewhere.url }));
    expect(await call(server)).toMatchObject({ name: 'ApiError', status: 307 });
    expect(elsewhere.attempts).toEqual([]);
  });
});
