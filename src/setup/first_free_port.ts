import { createServer } from 'node:net';

/** Whether nothing on this machine listens on the port. */
export const isFreePort = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** The first free port from `from` upwards that is not among the others. */
export async function firstFreePort(from: number, others: readonly number[] = []): Promise<number> {
  for (let port = from; ; port++) if (!others.includes(port) && (await isFreePort(port))) return port;
}
