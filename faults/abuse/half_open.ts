import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { figure } from '../../bench/report.ts';
import { type Attack, strangerAddress } from './attack.ts';
import { halfConnect, openSocket, untilClosed, wrongLogin } from './raw_mqtt.ts';

const MAX_CONNECTIONS = 1_000;
/** Half of the connections send the first number of bytes. The others send the second, which is within the gateway's limits. */
const HALF_OPEN_BYTES = [200_000, 8_000];
const STRANGERS = 4;

/**
 * Strangers hold as many connections as the gateway accepts, each with up to 200 KB of a CONNECT that never ends, and replace
 * each connection that is closed. At the same time, others try wrong passwords as fast as they can.
 */
export const halfOpen: Attack = {
  name: 'half-open',
  roles: ['gateway'],
  honestPaths: ['publish', 'connect', 'ingest'],
  settings: { GATEWAY_MAX_CONNECTIONS: String(MAX_CONNECTIONS) },

  async run({ roles, isQuick }) {
    const endMs = performance.now() + (isQuick ? 6_000 : 25_000);
    const counts = { halfOpen: 0, wrongPasswords: 0 };
    const sockets = new Set<Socket>();
    const packets = HALF_OPEN_BYTES.map(halfConnect);

    const hold = async (n: number): Promise<void> => {
      await sleep(n % 500);
      while (performance.now() < endMs) {
        const socket = openSocket(
          roles.mqttPort,
          strangerAddress(n % STRANGERS),
          packets[(n >> 2) % 2] ?? Buffer.alloc(0),
        );
        sockets.add(socket);
        counts.halfOpen++;
        await Promise.race([untilClosed(socket), sleep(Math.max(endMs - performance.now(), 0))]);
        sockets.delete(socket);
        socket.destroy();
        await sleep(500);
      }
    };
    const guess = async (n: number): Promise<void> => {
      while (performance.now() < endMs) {
        const socket = openSocket(roles.mqttPort, strangerAddress(100 + (n % STRANGERS)), wrongLogin(n));
        counts.wrongPasswords++;
        await Promise.race([untilClosed(socket), sleep(1_000)]);
        socket.destroy();
        await sleep(20);
      }
    };
    await Promise.all([
      ...Array.from({ length: MAX_CONNECTIONS }, (_, n) => hold(n)),
      ...Array.from({ length: 16 }, (_, n) => guess(n)),
    ]);
    return [
      figure('connections of strangers with half a CONNECT', counts.halfOpen),
      figure('connections of strangers with a wrong password', counts.wrongPasswords),
    ];
  },
};
