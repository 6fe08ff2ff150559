import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { atLeast, atMost, type BenchOptions, type Check, figure, type Report } from '../bench/report.ts';
import { type PrivateDatabase, startDatabase } from '../engines/database.ts';
import { programEnvironment, RoleProcess } from '../engines/process.ts';
import { until } from '../engines/until.ts';
import { transaction } from '../src/db/pool.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { issueKey } from '../src/keys/issue_key.ts';
import { freePort } from '../src/setup/servers/free_port.ts';
import { stopProcess } from '../src/setup/servers/server_process.ts';
import { Random } from '../src/simulation/random.ts';
import { MINUTE_MS } from '../src/values/time.ts';
import { type ErpCopy, readCopy, store, type World } from './erp_world.ts';

const PROCESS = fileURLToPath(new URL('erp_process.ts', import.meta.url));
const SYNCS = 2;
/** The number of a customer that is deleted before the first kill and created again after the last one. */
const ALWAYS_RECREATED = 3;

/**
 * Two programs copy the same customers and tanks of another system to Tankwatch and keep a copy by the feeds, while the programs,
 * the api and PostgreSQL are killed with kill -9. The other system renames keys, moves tanks to other owners, deletes customers and
 * creates them again, and readings arrive, some of them late.
 */
export const runErp = async ({ isQuick, log }: BenchOptions): Promise<Report> => ({
  name: 'erp',
  checks: await killWhileSyncing(isQuick ? { kills: 6, customers: 24, log } : { kills: 50, customers: 400, log }),
});

export async function killWhileSyncing({
  kills,
  customers,
  log,
}: {
  kills: number;
  customers: number;
  log: (line: string) => void;
}): Promise<Check[]> {
  await using database = await startDatabase();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-faults-erp-'));
  const api = await startService(database);
  const erp = new Erp(customers, join(folder.path, 'world.json'));
  const syncs = Array.from(
    { length: SYNCS },
    (_, n) => new Sync(api.url, api.key, erp.file, join(folder.path, `copy${n}.json`)),
  );
  const stopping = new AbortController();
  try {
    await erp.publish();
    for (const sync of syncs) sync.start();
    await untilSettled(syncs, erp);
    const first = await readCatalog(database.owner);
    const sending = sendReadings(database.owner, stopping.signal);
    await erp.deleteOrRecreate(ALWAYS_RECREATED);
    await untilSettled(syncs, erp);

    const random = new Random(20261118);
    for (let kill = 1; kill <= kills; kill++) {
      await erp.change(random);
      await sleep(random.between(50, 700));
      const victim = kill % 10 === 0 ? 'PostgreSQL' : kill % 3 === 0 ? 'the api' : `sync ${kill % SYNCS}`;
      log(`kill ${kill} of ${kills}: ${victim}`);
      if (victim === 'PostgreSQL') {
        await database.postgres.kill();
        await database.postgres.restart();
      } else if (victim === 'the api') {
        await api.process.kill();
        await api.process.start();
      } else await syncs[kill % SYNCS]?.restart();
    }
    stopping.abort();
    const sent = await sending;
    await erp.deleteOrRecreate(ALWAYS_RECREATED);
    log('settling');
    // Two more revisions, so that each program makes a pass after the last change of the other one.
    for (let revision = 0; revision < 2; revision++) {
      await untilSettled(syncs, erp);
      erp.world.revision++;
      await erp.publish();
    }
    await untilSettled(syncs, erp);
    for (const sync of syncs) await sync.stop();
    return [
      ...(await verify(database.owner, erp, first, await Promise.all(syncs.map((sync) => sync.copy())))),
      atLeast('readings that arrived', sent, 1),
      figure('kills', kills),
      figure('revisions of the other system', erp.world.revision),
    ];
  } finally {
    stopping.abort();
    for (const sync of syncs) await sync.stop();
    await api.process.stop();
  }
}

async function startService({ owner, urls }: PrivateDatabase) {
  const { rows } = await owner.query<{ no: number }>(
    `insert into organizations (code, name) values ('e0gas', 'Gas') returning no`,
  );
  const organizationNo = rows[0]?.no ?? 0;
  const { text: key } = await transaction(owner, (tx) =>
    issueKey(tx, { organizationNo, name: 'erp', scopes: ['read', 'manage'] }),
  );
  const port = await freePort();
  const process = new RoleProcess('api', {
    API_DATABASE_URL: urls.api,
    MANAGE_DATABASE_URL: urls.manager,
    API_SECRETS_KEY: 'an-api-secrets-key-of-the-fault-runs-0123456',
    API_HOST: '127.0.0.1',
    API_PORT: String(port),
    API_DRAIN_MS: '0',
  });
  await process.start();
  return { process, key, url: `http://127.0.0.1:${port}` };
}

/** The other system. Of each four customers it renames one, exchanges the tanks of two, and deletes and recreates one. */
class Erp {
  readonly world: World;
  readonly file: string;

  constructor(customers: number, file: string) {
    this.file = file;
    const numbers = Array.from({ length: customers }, (_, n) => n);
    this.world = {
      revision: 1,
      customers: numbers.map((n) => ({ key: `C-${n}`, name: `Customer ${n} of 1`, formerKeys: [] })),
      tanks: numbers.map((n) => ({ ownerKey: `C-${n}`, customId: `T-${n}`, capacity: 1_000, formerOwnerKeys: [] })),
      gone: { customers: [], tanks: [] },
    };
  }

  publish = (): Promise<void> => store(this.file, { ...this.world, tanks: this.tanks });

  async change(random: Random): Promise<void> {
    const { world } = this;
    world.revision++;
    const numbers = Array.from({ length: world.tanks.length }, (_, n) => n).filter(() => random.next() < 0.1);
    for (const n of numbers) {
      const [customer, tank] = [this.#customer(n), world.tanks[n]];
      if (customer !== undefined) customer.name = `Customer ${n} of ${world.revision}`;
      if (tank !== undefined) tank.capacity = 1_000 + world.revision;
      if (n % 4 === 0 && customer && tank) {
        customer.formerKeys.unshift(customer.key);
        world.gone.customers.push(customer.key);
        customer.key = `C-${n}/${world.revision}`;
        tank.ownerKey = customer.key;
      } else if ((n % 4 === 1 || n % 4 === 2) && tank) {
        const former = tank.ownerKey;
        tank.ownerKey = former === `C-${n}` ? `C-${n % 4 === 1 ? n + 1 : n - 1}` : `C-${n}`;
        tank.formerOwnerKeys = [former];
        const isBack = ({ ownerKey, customId }: World['gone']['tanks'][number]): boolean =>
          ownerKey === tank.ownerKey && customId === tank.customId;
        world.gone.tanks = [
          ...world.gone.tanks.filter((gone) => !isBack(gone)),
          { ownerKey: former, customId: tank.customId },
        ];
      } else if (n % 4 === 3 && n !== ALWAYS_RECREATED) this.#toggle(n);
    }
    await this.publish();
  }

  async deleteOrRecreate(n: number): Promise<void> {
    this.world.revision++;
    this.#toggle(n);
    await this.publish();
  }

  #customer = (n: number) => this.world.customers.find(({ name }) => name.startsWith(`Customer ${n} of`));

  #toggle(n: number): void {
    const { world } = this;
    const key = `C-${n}`;
    if (world.gone.customers.includes(key)) {
      world.gone.customers = world.gone.customers.filter((gone) => gone !== key);
      world.customers.push({ key, name: `Customer ${n} of ${world.revision}`, formerKeys: [] });
    } else {
      world.customers = world.customers.filter((customer) => customer.key !== key);
      world.gone.customers.push(key);
    }
  }

  /** The tanks of customers that exist. */
  get tanks(): World['tanks'] {
    const keys = new Set(this.world.customers.map(({ key }) => key));
    return this.world.tanks.filter(({ ownerKey }) => keys.has(ownerKey));
  }
}

/** A process of erp_process.ts, which is killed and started again. */
class Sync {
  readonly #args: readonly string[];
  readonly #copyFile: string;
  #child: ChildProcess | undefined;

  constructor(...args: [url: string, key: string, worldFile: string, copyFile: string]) {
    this.#args = args;
    this.#copyFile = args[3];
  }

  start(): void {
    this.#child = spawn(process.execPath, [PROCESS, ...this.#args], { stdio: 'ignore', env: programEnvironment() });
  }

  async stop(): Promise<void> {
    if (this.#child !== undefined) await stopProcess(this.#child, 'SIGKILL');
    this.#child = undefined;
  }

  async restart(): Promise<void> {
    await this.stop();
    this.start();
  }

  copy = (): Promise<ErpCopy> => readCopy(this.#copyFile);
}

const untilSettled = (syncs: readonly Sync[], { world }: Erp): Promise<boolean> =>
  until(
    'the programs settle',
    async () => {
      const copies = await Promise.all(syncs.map((sync) => sync.copy()));
      return copies.every(({ settled }) => settled === world.revision);
    },
    5 * MINUTE_MS,
  );

/** Stores readings of random tanks, half of them late, until the signal. Returns their number. */
async function sendReadings(owner: Pool, signal: AbortSignal): Promise<number> {
  const ingester = new BatchIngester(owner);
  const beginMs = Date.now() - 600 * MINUTE_MS;
  let sent = 0;
  for (let n = 0; !signal.aborted; n++) {
    try {
      const { rows } = await owner.query<{ no: number }>(
        'select no from tanks where deleted_at is null order by random() limit 20',
      );
      const atMs = beginMs + (n % 2 === 0 ? n : 500 - n) * 1_000;
      const readings = rows.map(({ no }) => ({ tankNo: no, atMs, fillPercentage: (n % 90) + 5 }));
      sent += (await ingester.ingestReadings(readings)).stored;
    } catch {
      // PostgreSQL was killed.
    }
    await sleep(100);
  }
  return sent;
}

interface Catalog {
  customers: { id: string; key: string; name: string }[];
  tanks: { id: string; owner_key: string; custom_id: string; capacity: number; owner_id: string }[];
}

async function readCatalog(owner: Pool): Promise<Catalog> {
  const { rows: customers } = await owner.query<Catalog['customers'][number]>(
    'select id, external_key as key, name from customers where deleted_at is null',
  );
  const { rows: tanks } = await owner.query<Catalog['tanks'][number]>(
    `select t.id, c.external_key as owner_key, t.custom_id, t.capacity, c.id as owner_id
     from tanks t join customers c on c.no = t.owner_no where t.deleted_at is null`,
  );
  return { customers, tanks };
}

const countDifferences = <T>(a: Iterable<T>, b: Iterable<T>): number => new Set(a).symmetricDifference(new Set(b)).size;

async function verify(owner: Pool, erp: Erp, first: Catalog, copies: readonly ErpCopy[]): Promise<Check[]> {
  const now = await readCatalog(owner);
  const { rows } = await owner.query<{ reading: string; fill_percentage: number }>(
    `select t.id || ' ' || to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as reading, r.fill_percentage
     from telemetry r join tanks t on t.no = r.tank_no where t.deleted_at is null`,
  );
  const live = new Set(now.tanks.map(({ id }) => id));
  const stored = rows.map(({ reading, fill_percentage }) => `${reading} ${fill_percentage}`);
  const ids = new Set([...now.customers, ...now.tanks].map(({ id }) => id));
  const isMeantToBeDeleted = (text: string): boolean => Number(/\d+/.exec(text)?.[0]) % 4 === 3;
  const kept = [
    ...first.customers.filter(({ key }) => !isMeantToBeDeleted(key)),
    ...first.tanks.filter(({ custom_id }) => !isMeantToBeDeleted(custom_id)),
  ];
  const recreated = now.customers.filter(
    ({ key, id }) => isMeantToBeDeleted(key) && !first.customers.some((before) => before.id === id),
  );
  return [
    atMost(
      'customers that differ from the other system',
      countDifferences(
        now.customers.map(({ key, name }) => `${key} ${name}`),
        erp.world.customers.map(({ key, name }) => `${key} ${name}`),
      ),
      0,
    ),
    atMost(
      'tanks that differ from the other system',
      countDifferences(
        now.tanks.map((tank) => `${tank.owner_key} ${tank.custom_id} ${tank.capacity}`),
        erp.tanks.map((tank) => `${tank.ownerKey} ${tank.customId} ${tank.capacity}`),
      ),
      0,
    ),
    atMost('customers twice', now.customers.length - erp.world.customers.length, 0),
    atMost('tanks twice', now.tanks.length - new Set(now.tanks.map(({ custom_id }) => custom_id)).size, 0),
    atMost(
      'customers and tanks deleted that the other system did not delete',
      kept.filter(({ id }) => !ids.has(id)).length,
      0,
    ),
    atLeast('customers deleted and created again', recreated.length, 1),
    ...copies.flatMap((copy, n) => [
      atMost(
        `customers and tanks that differ in copy ${n}`,
        countDifferences(
          [
            ...Object.entries(copy.customers).map(([id, { key }]) => `${id} ${key}`),
            ...Object.entries(copy.tanks).map(([id, { ownerId, customId }]) => `${id} ${ownerId} ${customId}`),
          ],
          [
            ...now.customers.map(({ id, key }) => `${id} ${key}`),
            ...now.tanks.map((tank) => `${tank.id} ${tank.owner_id} ${tank.custom_id}`),
          ],
        ),
        0,
      ),
      atMost(
        `readings that differ in copy ${n}`,
        countDifferences(
          Object.entries(copy.readings).flatMap(([reading, level]) =>
            live.has(reading.split(' ')[0] ?? '') ? [`${reading} ${level}`] : [],
          ),
          stored,
        ),
        0,
      ),
      atMost(`readings that came twice to copy ${n}`, copy.doubled, 0),
    ]),
    figure('customers', now.customers.length),
    figure('readings of live tanks', stored.length),
  ];
}
