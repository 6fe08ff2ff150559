import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { startDatabase } from '../../engines/database.ts';
import { RoleProcess } from '../../engines/process.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { Random } from '../../src/simulation/random.ts';
import { givenKey, givenOrganization } from '../support/fleet.ts';
import { API_SECRETS_KEY, CUSTOMER, manageApi, test } from '../support/manage.ts';
import { isThorough } from '../support/whole_tests.ts';

const REQUESTS = isThorough() ? 60 : 20;

test('each Idempotency-Key is applied once, through kill -9 of the api and of PostgreSQL', {
  timeout: 600_000,
}, async () => {
  const { postgres, owner, urls, stop } = await startDatabase();
  onTestFinished(stop);
  const organizationNo = await givenOrganization(owner);
  const { text: key } = await givenKey(owner, { organizationNo, scopes: ['manage'] });
  const port = await freePort();
  const api = new RoleProcess('api', {
    API_DATABASE_URL: urls.api,
    MANAGE_DATABASE_URL: urls.manager,
    API_SECRETS_KEY,
    API_HOST: '127.0.0.1',
    API_PORT: String(port),
    API_DRAIN_MS: '0',
  });
  await api.start();
  onTestFinished(() => api.stop());
  const manage = manageApi(`http://127.0.0.1:${port}`);

  let attempts = 0;
  /** Repeats a request until it is answered with 201. */
  const create = async (n: number): Promise<string> => {
    const call = { body: { ...CUSTOMER, name: `Customer ${n}` }, idempotencyKey: randomUUID() };
    for (;;) {
      attempts++;
      const answer = await manage.call(key, 'POST', '/customers', call).catch(() => undefined);
      if (answer?.status === 201) return answer.json.id;
      // 429: the api could not verify the key while PostgreSQL was away, and counted the attempts of this address.
      if (answer !== undefined) expect([409, 429, 503]).toContain(answer.status);
      await sleep(200);
    }
  };
  const progress = { left: REQUESTS };
  const random = new Random(9);
  const killing = (async (): Promise<number> => {
    let kills = 0;
    while (progress.left > 0) {
      await sleep(random.between(20, 400));
      if (random.next() < 0.5) {
        await api.kill();
        await api.start();
      } else {
        await postgres.kill();
        await postgres.restart();
      }
      kills++;
    }
    return kills;
  })();
  const ids = await Promise.all(
    Array.from({ length: 4 }, async (_, client) => {
      const own: string[] = [];
      for (let n = client; n < REQUESTS; n += 4) {
        own.push(await create(n));
        progress.left--;
      }
      return own;
    }),
  );
  const kills = await killing;
  const { rows } = await owner.query<{ id: string; name: string }>('select id, name from customers order by name');
  // Each name exists once, and each client has the id of the customer that exists.
  expect(rows).toHaveLength(REQUESTS);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(REQUESTS);
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(ids.flat()));
  const { rows: audited } = await owner.query(`select from audit_log where object = 'customer' and action = 'create'`);
  expect(audited).toHaveLength(REQUESTS);
  console.log(`${REQUESTS} requests, ${attempts} attempts, ${kills} kills: each applied once`);
  expect(kills).toBeGreaterThan(2);
});
