import { pino } from 'pino';
import { createLogins, databaseUrl } from '../engines/logins.ts';
import { startPostgres } from '../engines/postgres.ts';
import { serveApi } from '../src/api/serve.ts';
import { readApiConfig } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/db/pool.ts';
import { type Demo, provisionDemo } from './provision.ts';

const isJson = process.argv.includes('--json');
const tell = (line: string): void => {
  if (!isJson) console.log(line);
};

/** A whole installation that goes when it is stopped, or when it cannot start: PostgreSQL, two fleets, the API. */
async function runDemo(): Promise<void> {
  tell('starting a private PostgreSQL ...');
  const postgres = await startPostgres();
  const stopped = new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
  try {
    const { apiUrl, demo } = await fillDatabase(postgres.url);
    const config = readApiConfig({
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      ...process.env,
      API_DATABASE_URL: apiUrl,
      API_DRAIN_MS: '0',
    });
    const api = await serveApi(config, pino({ level: process.env['LOG_LEVEL'] ?? 'warn' }, pino.destination(2)));
    console.log(isJson ? JSON.stringify({ base_url: api.url, ...demo }) : welcome(api.url, demo));
    await stopped;
    await api.close();
  } finally {
    await postgres.stop();
  }
}

async function fillDatabase(url: string): Promise<{ apiUrl: string; demo: Demo }> {
  const root = openPool({ url, applicationName: 'demo' });
  await root.query('create database demo');
  const owner = openPool({ url: databaseUrl(url, 'demo'), applicationName: 'demo' });
  await migrate(owner);
  const urls = await createLogins(owner, url, 'demo');

  tell('filling in two organizations with six months of readings ...');
  const operator = openPool({ url: urls.operator, applicationName: 'demo operator' });
  const writer = openPool({ url: urls.writer, applicationName: 'demo writer' });
  const demo = await provisionDemo({ operator, writer }, Date.now());
  await owner.query('vacuum analyze');
  await Promise.all([root, owner, operator, writer].map((pool) => pool.end()));
  return { apiUrl: urls.api, demo };
}

const welcome = (url: string, demo: Demo): string => `
Tankwatch is up at ${url}, with its API reference at ${url}/docs

  Gas del Valle            ${demo.api_key}
  one of its customers     ${demo.customer_key}
  Green Mountain Propane   ${demo.other_api_key}

Try:

  curl -H 'X-API-Key: ${demo.api_key}' '${url}/v1/tanks?size=3'
  curl -H 'X-API-Key: ${demo.api_key}' '${url}/v1/tanks/${demo.busy_tank_id}/telemetry?page=500'
  curl -H 'X-API-Key: ${demo.api_key}' '${url}/v1/customers?size=0&page=x'

Ctrl-C stops it and removes its data.`;

await runDemo();
