import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback } from '../engines/loopback.ts';
import { type ReceivedMail, startMailServer } from '../engines/mail_server.ts';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '../packages/client/src/webhook.ts';
import { phonePage, readText, reportDelivered, type TextRecord } from './phone.ts';

/** Receives the mails, the texts and the webhooks of the demo, keeps the newest, and serves them as JSON. */
export interface Inbox {
  smtpUrl: string;
  /** GET returns the received mails. */
  mailboxUrl: string;
  /** POST receives a webhook. GET returns the received webhooks. */
  webhooksUrl: string;
  /** POST receives a text as a gateway does. GET returns the received texts. */
  textsUrl: string;
  /** The secret that signs the reports of delivered texts. */
  textSecret: string;
  /** A page that shows the received texts. */
  phoneUrl: string;
  /** Webhooks without a valid signature of this secret are refused. */
  setWebhookSecret(secret: string): void;
  stop(): Promise<void>;
}

type MailRecord = Pick<ReceivedMail, 'to' | 'subject' | 'text' | 'html'> & { received_at: string };
type WebhookRecord = WebhookEvent & { webhook_id: string; received_at: string };

const MAX_KEPT = 1_000;

/** `onArrival` gets one line for each mail, each text and each webhook. */
export async function startInbox(onArrival: (line: string) => void): Promise<Inbox> {
  const mails: MailRecord[] = [];
  const webhooks: WebhookRecord[] = [];
  const texts: TextRecord[] = [];
  let webhookSecret = '';
  const textSecret = randomBytes(32).toString('hex');

  const mailServer = await startMailServer({
    onMail({ to, subject, text, html }) {
      keep(mails, { received_at: new Date().toISOString(), to, subject, text, html });
      onArrival(`mail     to ${to.join(', ')}: ${subject}`);
    },
  });
  const receive = async (request: IncomingMessage): Promise<number> => {
    const body = (await request.toArray()).join('');
    try {
      const event = await verifyWebhook({ body, headers: request.headers, secret: webhookSecret });
      const webhook_id = String(request.headers['webhook-id']);
      keep(webhooks, { webhook_id, received_at: new Date().toISOString(), ...event });
      onArrival(`webhook  ${describeEvent(event)}`);
      return 204;
    } catch (error) {
      if (error instanceof WebhookVerificationError) return 400;
      throw error;
    }
  };
  const receiveText = async (request: IncomingMessage): Promise<number> => {
    const body = (await request.toArray()).join('');
    const text = readText(body);
    if (text === undefined) return 400;
    keep(texts, text);
    // The report of the delivery is sent at the same time as the answer.
    void reportDelivered(body, textSecret).catch(() => {});
    onArrival(`text     to ${text.to}: ${text.text.split('\n')[0]}`);
    return 204;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const route = `${request.method} ${request.url}`;
    if (route === 'POST /webhooks') response.writeHead(await receive(request)).end();
    else if (route === 'POST /texts') response.writeHead(await receiveText(request)).end();
    else if (route === 'GET /texts') sendJson(response, texts);
    else if (route === 'GET /phone')
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(phonePage(texts));
    else if (route === 'GET /mails') sendJson(response, mails);
    else if (route === 'GET /webhooks') sendJson(response, webhooks);
    else response.writeHead(404).end();
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;

  return {
    smtpUrl: mailServer.url,
    mailboxUrl: `${url}/mails`,
    webhooksUrl: `${url}/webhooks`,
    textsUrl: `${url}/texts`,
    textSecret,
    phoneUrl: `${url}/phone`,
    setWebhookSecret(secret) {
      webhookSecret = secret;
    },
    async stop() {
      await mailServer.stop();
      await closeServer(server);
    },
  };
}

function keep<Item>(items: Item[], item: Item): void {
  items.push(item);
  if (items.length > MAX_KEPT) items.shift();
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value));
}

/** The type, the name of the tank, and the values of the event itself. */
function describeEvent({ type, data }: WebhookEvent): string {
  const { tank, ...rest } = data;
  const name = tank !== undefined && 'name' in tank ? `, ${tank.name}` : '';
  const values = Object.entries(rest)
    .filter(([key, value]) => (typeof value === 'string' || typeof value === 'number') && key !== 'id')
    .map(([key, value]) => `${key} ${String(value)}`);
  return `${type}${name}: ${values.join(', ')}`;
}
