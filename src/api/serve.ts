import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { ApiConfig } from '../config.ts';
import { Readers } from '../db/readers.ts';
import { buildApi } from './app.ts';

export interface RunningApi {
  /** The local address of the server. */
  url: string;
  notReadyReasons(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Starts the api role: opens the database connections, then the socket. */
export async function serveApi(config: ApiConfig, logger: FastifyBaseLogger): Promise<RunningApi> {
  const readers = await Readers.open({
    url: config.databaseUrl,
    applicationName: 'tankwatch api',
    connections: config.databaseConnections,
    statementTimeoutMs: 10_000,
    logger,
  });
  const { app, health } = await buildApi({
    readers,
    logger,
    publicUrl: config.publicUrl,
    corsOrigins: config.corsOrigins,
    links: config.links,
    trustedProxies: config.trustedProxies,
  });
  const url = await app.listen({ host: config.host, port: config.port }).catch(async (error: unknown) => {
    await app.close();
    await readers.close();
    throw error;
  });

  return {
    url,
    notReadyReasons: () => health.notReadyReasons(),
    // Report "not ready", wait until the proxy has noticed, then close: a rolling restart loses no request.
    async close() {
      health.isDraining = true;
      logger.info({ drainMs: config.drainMs }, 'draining');
      await sleep(config.drainMs);
      await app.close();
      await readers.close();
      logger.info('stopped');
    },
  };
}
