import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { figure } from '../../bench/report.ts';
import { ATTACKER_ADDRESS, type Attack, type AttackContext, type Via } from './attack.ts';
import { untilClosed } from './raw_mqtt.ts';

/** The host that requests name. It is also the host of the cell behind a router. */
export const HOST = 'a.example.com';
const REOPEN_AFTER_MS = 100;
const READ_EVERY_MS = 500;

interface Held {
  name: string;
  roles: Attack['roles'];
  honestPaths: Attack['honestPaths'];
  connections: number;
  /** What each connection sends, once. */
  text(context: AttackContext): string;
  /** Whether each connection reads some of its answer twice a second. Otherwise it reads nothing. */
  isReadSlowly?: boolean;
}

const post = (path: string, headers: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: ${HOST}\r\nContent-Type: application/json\r\nContent-Length: 400\r\n${headers}\r\n{`;
export const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n`;
const keyLine = (key: string): string => `X-API-Key: ${key}\r\n`;
const SIGN_IN_PATH = '/session/mails';

const HELD: readonly Held[] = [
  {
    name: 'held-sign-in',
    roles: ['api'],
    honestPaths: ['read', 'page'],
    connections: 260,
    text: () => post(SIGN_IN_PATH, ''),
  },
  {
    // The prefix of a key is public: logs and the audit log show it.
    name: 'held-prefix',
    roles: ['api'],
    honestPaths: ['read', 'page'],
    connections: 260,
    text: ({ installation }) => post(SIGN_IN_PATH, keyLine(`${installation.honest.readKey.split('.')[0]}.secret`)),
  },
  {
    name: 'pipelined-unread',
    roles: ['api'],
    honestPaths: ['read', 'page'],
    connections: 1,
    text: ({ installation }) => get('/v1/tanks?size=100', keyLine(installation.attacker.readKey)).repeat(300),
  },
  {
    name: 'unread-answers',
    roles: ['api'],
    honestPaths: ['read', 'page'],
    connections: 240,
    text: ({ installation }) => get('/v1/tanks?size=100', keyLine(installation.attacker.readKey)).repeat(4),
  },
  {
    name: 'held-uploads',
    roles: ['gateway'],
    honestPaths: ['ingest', 'publish'],
    connections: 260,
    text: ({ installation }) => post('/ingest/readings', keyLine(installation.attacker.ingestKey)),
  },
  {
    name: 'slow-static',
    roles: ['api'],
    honestPaths: ['read', 'page'],
    connections: 240,
    text: () => get('/docs/js/scalar.js'),
    isReadSlowly: true,
  },
];

/** One sender holds requests that it does not finish, or answers that it does not read; directly and through each proxy. */
export const heldRequests: readonly Attack[] = HELD.flatMap((held) =>
  ([undefined, 'nginx', 'haproxy', 'nginx-router'] as const).map((via) => attackOf(held, via)),
);

export function attackOf(held: Held, via: Via | undefined): Attack {
  const { name, roles, honestPaths } = held;
  return {
    name: via === undefined ? name : `${name}-${via}`,
    roles,
    honestPaths,
    ...(via && { via }),
    async run(context) {
      const endMs = performance.now() + (context.isQuick ? 6_000 : 20_000);
      const url = new URL(roles.includes('gateway') ? context.roles.gatewayUrl : context.roles.apiUrl);
      let opened = 0;
      const hold = async (): Promise<void> => {
        while (performance.now() < endMs) {
          const socket = openUnread(Number(url.port), held.text(context), held.isReadSlowly === true);
          opened++;
          await Promise.race([untilClosed(socket), sleep(Math.max(endMs - performance.now(), 0))]);
          socket.destroy();
          await sleep(REOPEN_AFTER_MS);
        }
      };
      await Promise.all(Array.from({ length: held.connections }, hold));
      return [figure(`connections opened to hold ${held.connections}`, opened)];
    },
  };
}

function openUnread(port: number, text: string, isReadSlowly: boolean): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: ATTACKER_ADDRESS });
  socket.on('error', () => {}).pause();
  socket.write(text);
  if (!isReadSlowly) {
    // Without unread bytes, the end of the connection is noticed also without reading.
    socket.once('end', () => socket.destroy());
    return socket;
  }
  const timer = setInterval(() => socket.resume(), READ_EVERY_MS);
  socket.on('data', () => socket.pause()).once('close', () => clearInterval(timer));
  return socket;
}
