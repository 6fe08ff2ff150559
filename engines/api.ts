import { type Logger, pino } from 'pino';
import type { Registry } from 'prom-client';
import { type RunningApi, serveApi } from '../src/api/serve.ts';
import { readApiConfig } from '../src/settings/api_settings.ts';

/** Starts the api role in this process, on a free port. */
export const startApi = (
  url: string,
  settings: Readonly<Record<string, string>> = {},
  logger: Logger = pino({ level: 'silent' }),
  registry?: Registry,
): Promise<RunningApi> =>
  serveApi(
    readApiConfig({
      API_DATABASE_URL: url,
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      API_DRAIN_MS: '0',
      ...settings,
    }),
    logger,
    ...(registry === undefined ? [] : [registry]),
  );
