import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, randomUUID, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, parseJson } from '../src/values/json.ts';
import { closeServer, listenOnLoopback } from './loopback.ts';

/** The keys of a browser, with its private key. */
export interface BrowserSecrets {
  p256dh: Buffer;
  auth: Buffer;
  privateKey: Buffer;
}

export function newBrowserKeys(): BrowserSecrets {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return { p256dh: pair.getPublicKey(), auth: randomBytes(16), privateKey: pair.getPrivateKey() };
}

/** Decrypts a message as a browser does, written from RFC 8188 and RFC 8291. Throws if it is not for this browser. */
export function openPush(body: Buffer, { p256dh, auth, privateKey }: BrowserSecrets): Buffer {
  const [salt, senderEnd] = [body.subarray(0, 16), 21 + (body[20] ?? 0)];
  const sender = body.subarray(21, senderEnd);
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(privateKey);
  const hkdf = (secret: Buffer, saltBytes: Buffer, info: Buffer, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, saltBytes, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, sender]);
  const keying = hkdf(pair.computeSecret(sender), auth, info, 32);
  const key = hkdf(keying, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = hkdf(keying, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(body.subarray(-16));
  const padded = Buffer.concat([decipher.update(body.subarray(senderEnd, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('the record is not the last one');
  return padded.subarray(0, end);
}

/** A subscribed browser. */
export interface SubscribedBrowser extends BrowserSecrets {
  endpoint: string;
  /** What the page sends to the service. */
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
}

export interface ReceivedPush {
  browser: SubscribedBrowser;
  message: Record<string, unknown>;
  headers: IncomingMessage['headers'];
}

/**
 * What the service does with a request: `slowMs` accepts it and answers after this time; `lost` accepts it and closes the
 * connection without an answer.
 */
export type PushFault = { slowMs: number } | { lost: true } | { status: number };

export interface RunningPushService {
  url: string;
  /** The messages that arrived at the browsers. */
  pushes: ReceivedPush[];
  requests: number;
  /** The faults of the next requests, one for each. */
  faults: PushFault[];
  /** Subscribes a new browser. It accepts only `serverKey` as the public key, or any key without it. */
  subscribe(serverKey?: string): SubscribedBrowser;
  /** Ends a subscription, as when a person withdraws the permission or deletes the browser. */
  forget(browser: SubscribedBrowser): void;
  close(): Promise<void>;
}

/** Starts a push service (RFC 8030) that checks signatures (RFC 8292) and decrypts messages as its browsers would. */
export async function startPushService(): Promise<RunningPushService> {
  const browsers = new Map<string, SubscribedBrowser & { serverKey: string | undefined }>();
  const running: RunningPushService = {
    url: '',
    pushes: [],
    requests: 0,
    faults: [],
    subscribe(serverKey) {
      const keys = newBrowserKeys();
      const path = `/wpush/${randomUUID()}`;
      const endpoint = `${running.url}${path}`;
      const text = { p256dh: keys.p256dh.toString('base64url'), auth: keys.auth.toString('base64url') };
      const browser = { ...keys, endpoint, subscription: { endpoint, keys: text } };
      browsers.set(path, { ...browser, serverKey });
      return browser;
    },
    forget: ({ endpoint }) => void browsers.delete(new URL(endpoint).pathname),
    close: () => closeServer(server),
  };
  const server = createServer((request, response) => void receive(request, response));
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    running.requests++;
    const body = Buffer.concat(await Array.fromAsync(request, (chunk: Buffer) => chunk));
    const answer = (status: number): void => void response.writeHead(status).end();
    const browser = browsers.get(request.url ?? '');
    const fault = running.faults.shift();
    if (fault !== undefined && 'status' in fault) return answer(fault.status);
    if (browser === undefined) return answer(410);
    const refused = refusalOf(request, body, running.url, browser.serverKey);
    if (refused !== undefined) return answer(refused);
    const message = parseJson(openPush(body, browser).toString());
    if (!isObject(message)) return answer(400);
    running.pushes.push({ browser, message, headers: request.headers });
    if (fault !== undefined && 'lost' in fault) return void request.socket.destroy();
    if (fault !== undefined && 'slowMs' in fault) await sleep(fault.slowMs, undefined, { ref: false });
    response.writeHead(201, { location: `${running.url}/message/${randomUUID()}` }).end();
  };
  running.url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  return running;
}

/** The status with which a push service refuses a request; undefined if it accepts it. */
function refusalOf(
  { method, headers }: IncomingMessage,
  body: Buffer,
  url: string,
  serverKey: string | undefined,
): number | undefined {
  if (method !== 'POST') return 405;
  if (headers['content-encoding'] !== 'aes128gcm' || !/^\d+$/.test(String(headers['ttl']))) return 400;
  if (body.length > 4_096) return 413;
  if (!/^[\w-]{1,32}$/.test(String(headers['topic'])) || !/^(high|normal)$/.test(String(headers['urgency'])))
    return 400;
  const [, head = '', claims = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  const point = Buffer.from(key, 'base64url');
  if (point.length !== 65) return 401;
  if (serverKey !== undefined && serverKey !== key) return 403;
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const signed = Buffer.from(`${head}.${claims}`);
  if (!verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
    return 403;
  const claimed = parseJson(Buffer.from(claims, 'base64url').toString());
  if (!isObject(claimed) || claimed['aud'] !== url || !/^(mailto:|https:)/.test(String(claimed['sub']))) return 403;
  const secondsLeft = Number(claimed['exp']) - Date.now() / 1_000;
  return secondsLeft > 0 && secondsLeft <= 86_400 ? undefined : 403;
}
