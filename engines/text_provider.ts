import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TextProvider } from '../src/duty/text_providers.ts';
import { isObject, parseJson } from '../src/values/json.ts';
import { closeServer, listenOnLoopback } from './loopback.ts';

/** A text that the provider has accepted. */
export interface AcceptedText {
  provider: TextProvider;
  atMs: number;
  to: string;
  text: string;
  /** The id of the text in Tankwatch. Null if the provider does not get it. */
  reference: string | null;
}

/**
 * What the provider does with a request: `slowMs` accepts it and answers only after this time, `lost` accepts it and closes the
 * connection, a status refuses it, and `undelivered` accepts it and reports that it was not delivered.
 */
export type ProviderFault = { slowMs: number } | { lost: true } | { status: number } | { undelivered: true };

export interface RunningProvider {
  url: string;
  texts: AcceptedText[];
  requests: number;
  /** The faults of the next requests, one for each. */
  faults: ProviderFault[];
  /** Chooses a fault if none is in the list. */
  chooseFault: () => ProviderFault | undefined;
  /** How often it sends each report. */
  reportTimes: number;
  /** The status codes with which its reports were answered. */
  reportAnswers: number[];
  close(): Promise<void>;
}

export const PROVIDER_SECRET = 'secret-of-the-provider';
export const PROVIDER_SIGNING_KEY = 'signing-key-of-the-provider';

interface Incoming {
  provider: TextProvider;
  to: string;
  text: string;
  reference: string | null;
  reportUrl: string | null;
}

/** Starts a server that answers as Twilio, Vonage, MessageBird and gateways document it, by the path of the request. */
export async function startTextProvider({ port = 0 } = {}): Promise<RunningProvider> {
  const running: RunningProvider = {
    url: '',
    texts: [],
    requests: 0,
    faults: [],
    chooseFault: () => undefined,
    reportTimes: 1,
    reportAnswers: [],
    close: () => closeServer(server),
  };
  const server = createServer((request, response) => void receive(request, response));
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    running.requests++;
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const incoming = readIncoming(request, await readBody(request));
    if (typeof incoming === 'number') return answer(incoming, { title: 'refused' });
    const fault = running.faults.shift() ?? running.chooseFault();
    if (fault !== undefined && 'status' in fault) return answer(fault.status, { title: 'refused' });
    const { reportUrl, ...text } = incoming;
    const id = randomUUID();
    running.texts.push({ ...text, atMs: Date.now() });
    if (fault !== undefined && 'lost' in fault) return void request.socket.destroy();
    if (fault !== undefined && 'slowMs' in fault) await sleep(fault.slowMs, undefined, { ref: false });
    answer(...acceptedAnswer(incoming, id));
    if (reportUrl === null) return;
    const isDelivered = fault === undefined || !('undelivered' in fault);
    for (let time = 0; time < running.reportTimes; time++)
      running.reportAnswers.push(await report(incoming, reportUrl, id, isDelivered).catch(() => 0));
  };
  running.url = `http://127.0.0.1:${await listenOnLoopback(server, port)}`;
  return running;
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** Returns the text, or the status with which the request is refused. */
function readIncoming({ url = '', headers, method }: IncomingMessage, body: string): Incoming | number {
  if (method !== 'POST') return 405;
  const { authorization = '' } = headers;
  const basic = (user: string): string => `Basic ${Buffer.from(`${user}:${PROVIDER_SECRET}`).toString('base64')}`;
  const twilio = /^\/2010-04-01\/Accounts\/(\w+)\/Messages\.json$/.exec(url);
  if (twilio !== null) {
    const form = new URLSearchParams(body);
    const [to, text] = [form.get('To'), form.get('Body')];
    if (authorization !== basic(twilio[1] ?? '')) return 401;
    if (headers['content-type'] !== 'application/x-www-form-urlencoded' || to === null || text === null) return 400;
    if (form.get('From') === null) return 400;
    return { provider: 'twilio', to, text, reference: null, reportUrl: form.get('StatusCallback') };
  }
  const fields = parseJson(body);
  if (!isObject(fields)) return 400;
  const textOf = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '');
  if (url === '/v1/messages') {
    if (authorization !== basic('vonage-key')) return 401;
    if (fields['message_type'] !== 'text' || fields['channel'] !== 'sms' || !/^\d+$/.test(textOf('to'))) return 422;
    const to = `+${textOf('to')}`;
    return { provider: 'vonage', to, text: textOf('text'), reference: textOf('client_ref'), reportUrl: null };
  }
  const reference = textOf('reference');
  if (url === '/messages') {
    if (authorization !== `AccessKey ${PROVIDER_SECRET}`) return 401;
    const { recipients } = fields;
    if (!Array.isArray(recipients) || textOf('originator') === '' || textOf('body') === '') return 422;
    // MessageBird reports only texts with a reference.
    const reportUrl = reference === '' ? null : textOf('reportUrl') || null;
    const to = `+${String(recipients[0])}`;
    return { provider: 'messagebird', to, text: textOf('body'), reference, reportUrl };
  }
  if (authorization !== `Bearer ${PROVIDER_SECRET}`) return 401;
  if (headers['idempotency-key'] !== reference) return 400;
  const reportUrl = textOf('report_url') || null;
  return { provider: 'gateway', to: textOf('to'), text: textOf('text'), reference, reportUrl };
}

function acceptedAnswer({ provider, to, reference }: Incoming, id: string): [status: number, body: object] {
  if (provider === 'twilio') return [201, { sid: `SM${id.replaceAll('-', '')}`, status: 'queued', to }];
  if (provider === 'vonage') return [202, { message_uuid: id }];
  if (provider === 'gateway') return [200, {}];
  const items = [{ recipient: Number(to.slice(1)), status: 'sent', statusDatetime: new Date().toISOString() }];
  return [201, { id, reference, recipients: { totalCount: 1, totalSentCount: 1, items } }];
}

/** Sends a signed report as documented. Returns the status of the answer. */
async function report(
  { provider, reference, to }: Incoming,
  reportUrl: string,
  id: string,
  isDelivered: boolean,
): Promise<number> {
  if (provider === 'twilio') {
    const form = new URLSearchParams({
      MessageSid: `SM${id.replaceAll('-', '')}`,
      MessageStatus: isDelivered ? 'delivered' : 'undelivered',
      To: to,
      ...(isDelivered ? {} : { ErrorCode: '30003' }),
    });
    const signed = `${reportUrl}${[...form]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flat()
      .join('')}`;
    const signature = createHmac('sha1', PROVIDER_SECRET).update(signed).digest('base64');
    return post(reportUrl, { 'x-twilio-signature': signature }, form);
  }
  if (provider === 'messagebird') {
    const query = new URLSearchParams({
      id,
      reference: reference ?? '',
      recipient: to.slice(1),
      status: isDelivered ? 'delivered' : 'delivery_failed',
      statusDatetime: new Date().toISOString(),
    });
    const url = `${reportUrl}?${query.toString()}`;
    const response = await fetch(url, { headers: { 'messagebird-signature-jwt': messageBirdJwt(url) } });
    return response.status;
  }
  const body = JSON.stringify({ reference, status: isDelivered ? 'delivered' : 'failed' });
  const signature = `sha256=${createHmac('sha256', PROVIDER_SECRET).update(body).digest('hex')}`;
  return post(reportUrl, { 'x-signature': signature, 'content-type': 'application/json' }, body);
}

async function post(url: string, headers: Record<string, string>, body: string | URLSearchParams): Promise<number> {
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

function messageBirdJwt(url: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: 'MessageBird',
    nbf: seconds,
    exp: seconds + 60,
    jti: randomUUID(),
    url_hash: createHash('sha256').update(url).digest('hex'),
  };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', PROVIDER_SIGNING_KEY).update(signed).digest('base64url')}`;
}
