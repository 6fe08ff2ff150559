// Sends the events of a webhook to a chat. Run it behind a proxy with https:
// WEBHOOK_SECRET=whsec_... CHAT=slack CHAT_URL=https://hooks.slack.com/services/... PORT=8080 node chat_relay.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';

const { WEBHOOK_SECRET = '', CHAT = 'slack', CHAT_URL = '', PORT = '8080' } = process.env;
if (!WEBHOOK_SECRET.startsWith('whsec_') || CHAT_URL === '') throw new Error('set WEBHOOK_SECRET and CHAT_URL');

interface Event {
  type: string;
  data: {
    tank?: { name?: string };
    tank_custom_id?: string | null;
    fill_percentage?: number;
  };
}

const isEvent = (given: unknown): given is Event =>
  typeof given === 'object' && given !== null && 'type' in given && 'data' in given;

const WORDS: Record<string, string> = {
  'tank.low_fill': 'is low',
  'tank.rapid_loss': 'loses gas',
  'tank.device_silent': 'does not report',
  'tank.refilled': 'was refilled',
  'event.retracted': 'an event was wrong and is retracted',
};

function sentence({ type, data }: Event): string {
  const tank = [data.tank?.name, data.tank_custom_id].filter(Boolean).join(', ') || 'Tankwatch';
  const level = data.fill_percentage === undefined ? '' : ` (${data.fill_percentage} %)`;
  return `${tank}: ${WORDS[type] ?? type}${level}`;
}

// Slack reads &, < and > as marks. Teams shows an Adaptive Card.
const slack = (text: string) => ({
  text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
});
const teams = (text: string) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text, wrap: true }] },
    },
  ],
});

function isSigned(headers: Record<string, string | string[] | undefined>, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers;
  const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
  const mac = createHmac('sha256', key)
    .update(`${String(id)}.${String(at)}.${body}`)
    .digest();
  const given = String(signatures)
    .split(' ')
    .map((text) => Buffer.from(text.slice(3), 'base64'));
  const isRecent = Math.abs(Date.now() / 1_000 - Number(at)) < 300;
  return isRecent && given.some((each) => each.length === mac.length && timingSafeEqual(each, mac));
}

async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readText(request);
  if (!isSigned(request.headers, body)) {
    response.writeHead(401).end();
    return;
  }
  const event: unknown = JSON.parse(body);
  const message = isEvent(event) ? sentence(event) : 'Tankwatch sent something new';
  const sent = await fetch(CHAT_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(CHAT === 'teams' ? teams(message) : slack(message)),
    signal: AbortSignal.timeout(10_000),
  }).catch(() => null);
  // Tankwatch tries again after every other answer than 2xx.
  response.writeHead(sent?.ok === true ? 204 : 502).end();
}

// A request that breaks off must not end the relay.
const server = createServer((request, response) => void relay(request, response).catch(() => response.destroy()));
server.listen(Number(PORT), () => console.log('listening'));
