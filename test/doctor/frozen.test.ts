import { connect, createServer, type Socket } from 'node:net';
import { expect } from 'vitest';
import { withPort } from '../../engines/logins.ts';
import { diagnose } from '../../src/cli/doctor.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { test } from '../support/test.ts';

test('if PostgreSQL hangs in the middle of the checks, doctor ends and reports it', async ({ database }) => {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const { port } = new URL(database.urls.operator);
  // Connections stay open and nothing passes, as with a server that was stopped by a signal.
  const proxy = createServer((client) => {
    const server = connect(Number(port), '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from.on('error', () => {}));
      from.on('data', (bytes: Buffer) => isFrozen || to.write(bytes));
      from.on('close', () => to.destroy());
    }
  });
  const proxyPort = await freePort();
  await new Promise<void>((resolve) => proxy.listen(proxyPort, '127.0.0.1', resolve));
  const skipped: string[] = [];
  const findings = await diagnose(
    { OPERATOR_DATABASE_URL: withPort(database.urls.operator, proxyPort) },
    {
      fix: false,
      onProgress: () => {},
      onChecked(check, outcome) {
        if (check === 'migrations') isFrozen = true;
        if (outcome === undefined) skipped.push(check);
      },
    },
  );
  for (const socket of sockets) socket.destroy();
  proxy.close();
  expect(findings.filter(({ problem }) => problem.includes('PostgreSQL has not answered'))).toMatchObject([
    { check: 'privileges', severity: 'broken', remedy: expect.stringContaining('restart it') },
  ]);
  expect(skipped).toContain('telemetry counters');
}, 120_000);
