import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { stopProcess } from '../../src/setup/servers/server_process.ts';
import { parseJson } from '../../src/values/json.ts';
import { valueAt } from '../../src/values/json_path.ts';
import { WebhookSender } from '../../src/webhooks/sender.ts';
import { makeSecret, signatureHeaders } from '../../src/webhooks/signature.ts';

const RELAY = fileURLToPath(new URL('../../examples/chat_relay.ts', import.meta.url));
const EVENT = JSON.stringify({
  type: 'tank.low_fill',
  timestamp: '2026-03-01T06:00:00.000Z',
  data: {
    id: 'e1',
    fill_percentage: 19.5,
    threshold_percentage: 20,
    tank: { name: 'Yard <1>' },
    tank_custom_id: 'T-17',
  },
});

/** Answers a request as the documentation of a service says. */
type Answer = (path: string, contentType: string, body: unknown) => { status: number; body: string };

/** Slack: JSON with a text; other requests get a status of 4xx and a word. */
const slack: Answer = (path, contentType, body) => {
  if (path !== '/services/T000/B000/XXXX') return { status: 404, body: 'no_service' };
  const text = valueAt(body, 'text');
  if (!contentType.startsWith('application/json') || typeof text !== 'string' || text === '')
    return { status: 400, body: 'invalid_payload' };
  return { status: 200, body: 'ok' };
};

/** Workflows of Teams: a message with Adaptive Cards; 202 without a body. */
const teams: Answer = (_path, _contentType, body) => {
  const attachments = valueAt(body, 'attachments');
  const isCard = (given: unknown): boolean =>
    valueAt(given, 'contentType') === 'application/vnd.microsoft.card.adaptive' &&
    valueAt(given, 'content.type') === 'AdaptiveCard' &&
    Array.isArray(valueAt(given, 'content.body'));
  const isMessage = valueAt(body, 'type') === 'message' && Array.isArray(attachments) && attachments.every(isCard);
  return { status: isMessage ? 202 : 400, body: '' };
};

/** n8n: the production URL of a node that responds immediately. */
const n8n: Answer = (path, contentType, body) =>
  path === '/webhook/tankwatch' && contentType.startsWith('application/json') && body !== undefined
    ? { status: 200, body: '{"message":"Workflow got started"}' }
    : { status: 404, body: '{"code":404,"message":"The requested webhook is not registered."}' };

/** Home Assistant: JSON by its content type; 200 in any case. */
const homeAssistant: Answer = () => ({ status: 200, body: '' });

async function givenService(answer: Answer) {
  const received: { path: string; body: unknown; isJson: boolean }[] = [];
  const failures: number[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += String(chunk);
    });
    request.on('end', () => {
      const contentType = request.headers['content-type'] ?? '';
      const body = parseJson(text);
      received.push({ path: request.url ?? '', body, isJson: contentType.startsWith('application/json') });
      const failure = failures.shift();
      const answered = answer(request.url ?? '', contentType, body);
      if (failure === undefined) response.writeHead(answered.status).end(answered.body);
      else response.writeHead(failure).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, received, failures };
}

/** Posts the event as a worker does. */
async function send(url: string, secret: string, body = EVENT): Promise<number | null> {
  const sender = new WebhookSender({ allowHttp: true, allowPrivate: true });
  const headers = { 'content-type': 'application/json', ...signatureHeaders([secret], 'e1', Date.now(), body) };
  return (await sender.post(url, headers, body)).status;
}

async function givenRelay(chat: string, chatUrl: string) {
  const [secret, port] = [makeSecret(), await freePort()];
  const env = { WEBHOOK_SECRET: secret, CHAT: chat, CHAT_URL: chatUrl, PORT: String(port) };
  const child = spawn(process.execPath, [RELAY], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => stopProcess(child, 'SIGKILL'));
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  return { url: `http://127.0.0.1:${port}/`, secret };
}

test('the relay sends a sentence to Slack and to Teams, and refuses requests with a wrong signature', async () => {
  const [chat, cards] = [await givenService(slack), await givenService(teams)];
  const toSlack = await givenRelay('slack', `${chat.url}/services/T000/B000/XXXX`);
  expect(await send(toSlack.url, toSlack.secret)).toBe(204);
  expect(chat.received.map(({ body }) => body)).toEqual([{ text: 'Yard &lt;1&gt;, T-17: is low (19.5 %)' }]);
  expect(await send(toSlack.url, makeSecret())).toBe(401);
  // A request that breaks off does not end the relay.
  const broken = connect(Number(new URL(toSlack.url).port), '127.0.0.1');
  broken.end('POST / HTTP/1.1\r\nhost: relay\r\ncontent-length: 9\r\n\r\n{');
  await once(broken.resume(), 'close');
  // If the chat fails, the relay answers with 502, and Tankwatch sends the webhook again.
  chat.failures.push(500);
  expect(await send(toSlack.url, toSlack.secret)).toBe(502);
  expect(chat.received).toHaveLength(2);

  const toTeams = await givenRelay('teams', cards.url);
  expect(await send(toTeams.url, toTeams.secret)).toBe(204);
  expect(JSON.stringify(cards.received)).toContain('Yard <1>, T-17: is low (19.5 %)');
});

test('n8n and Home Assistant accept a webhook as it is', async () => {
  const [workflow, home] = [await givenService(n8n), await givenService(homeAssistant)];
  expect(await send(`${workflow.url}/webhook/tankwatch`, makeSecret())).toBe(200);
  expect(await send(`${workflow.url}/webhook-test/tankwatch`, makeSecret())).toBe(404);
  expect(await send(`${home.url}/api/webhook/tankwatch-8f2c1d9a47e65b30`, makeSecret())).toBe(200);
  // The recipe reads trigger.json.type and trigger.json.data.tank.name.
  const [{ body, isJson } = { body: null, isJson: false }] = home.received;
  expect([isJson, valueAt(body, 'type'), valueAt(body, 'data.tank.name')]).toEqual([true, 'tank.low_fill', 'Yard <1>']);
});
