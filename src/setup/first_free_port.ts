import { connect, createServer } from 'node:net';
import { errorCode } from '../values/error_code.ts';

/** Whether nothing on this machine listens on the port. */
export const isFreePort = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    // A user who may not listen on a port below 1024 can still connect to it.
    probe.once('error', (error) => resolve(errorCode(error) === 'EACCES' ? refusesConnections(port) : false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

const refusesConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect(port, '127.0.0.1');
    probe.once('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', () => resolve(true));
  });

/** The first free port from `from` upwards that is not among the others. */
export async function firstFreePort(from: number, others: readonly number[] = []): Promise<number> {
  for (let port = from; ; port++) if (!others.includes(port) && (await isFreePort(port))) return port;
}
