import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type Answer, countStatus, HttpClient } from '../../bench/load_client/http_client.ts';
import { atMost, type Check, figure } from '../../bench/report.ts';
import { makeKey } from '../../src/keys/key_format.ts';
import { ATTACKER_ADDRESS, type Attack, strangerAddress } from './attack.ts';

const STRANGERS = 10;
const AT_ONCE_PER_STRANGER = 4;
const READY_REQUESTS = 500;

/**
 * Ten addresses send random keys with a right checksum, as many as the gateway once held in its cache of keys, and another one
 * requests /readyz. Then the database is killed, and a good ingest key must still work.
 */
export const randomKeys: Attack = {
  name: 'random-keys',
  roles: ['gateway', 'api'],
  honestPaths: ['publish', 'ingest', 'read'],

  async run({ installation, roles, isQuick }) {
    const { owner } = installation;
    const before = await countScans(owner);
    const url = `${roles.gatewayUrl}/ingest/readings`;
    const requests = isQuick ? 5_000 : 120_000;
    const answers = await guess(url, requests);
    await sleep(1_500); // PostgreSQL publishes its counts once a second
    const afterKeys = await countScans(owner);

    await askReady(`${roles.apiUrl}/readyz`);
    await sleep(1_500);
    const afterReady = await countScans(owner);
    return [
      figure('requests with a random key', answers.length),
      figure('answered 429', countStatus(answers, 429)),
      atMost('answered neither 401 nor 429', answers.filter(({ status }) => ![401, 429].includes(status)).length, 0),
      atMost('lookups of keys in the database per request', (afterKeys.keys - before.keys) / answers.length, 0.25),
      atMost(
        `lookups of migrations in the database for ${READY_REQUESTS} requests of /readyz`,
        afterReady.migrations - afterKeys.migrations,
        20,
      ),
    ];
  },

  async finish({ installation, roles, log }): Promise<Check[]> {
    const { postgres, honest } = installation;
    log('PostgreSQL is killed');
    await postgres.kill();
    const http = new HttpClient();
    let failures = 0;
    for (let n = 0; n < 20; n++) {
      const { status } = await http.send(`${roles.gatewayUrl}/ingest/readings`, {
        key: honest.quietIngestKey,
        json: { readings: [{ device_id: honest.devices[1]?.deviceId, created_at: new Date(), fill_percentage: 50 }] },
      });
      if (status !== 202) failures++;
      await sleep(50);
    }
    http.close();
    await postgres.restart();
    return [atMost('requests with a good ingest key refused while the database was killed, of 20', failures, 0)];
  },
};

async function guess(url: string, requests: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  let begun = 0;
  const sendRest = async (http: HttpClient): Promise<void> => {
    while (begun < requests) {
      begun++;
      answers.push(await http.send(url, { key: makeKey('a0').text, json: { readings: [] } }));
    }
  };
  const strangers = Array.from(
    { length: STRANGERS },
    (_, n) => new HttpClient({ localAddress: strangerAddress(n), connections: AT_ONCE_PER_STRANGER }),
  );
  await Promise.all(
    strangers.flatMap((stranger) => Array.from({ length: AT_ONCE_PER_STRANGER }, () => sendRest(stranger))),
  );
  for (const stranger of strangers) stranger.close();
  return answers;
}

async function askReady(url: string): Promise<void> {
  const http = new HttpClient({ localAddress: ATTACKER_ADDRESS });
  for (let n = 0; n < READY_REQUESTS / 50; n++) {
    await Promise.all(Array.from({ length: 50 }, () => http.send(url)));
  }
  http.close();
}

/** Counts the lookups of keys and of migrations, from the statistics of PostgreSQL. */
async function countScans(owner: Pool): Promise<{ keys: number; migrations: number }> {
  const { rows } = await owner.query<{ keys: number; migrations: number }>(
    `select sum(seq_scan + coalesce(idx_scan, 0)) filter (where relname = 'api_keys')::int as keys,
            sum(seq_scan + coalesce(idx_scan, 0)) filter (where relname = 'schema_migrations')::int as migrations
     from pg_stat_user_tables`,
  );
  return rows[0] ?? { keys: Number.NaN, migrations: Number.NaN };
}
