/**
 * Keeps customers and tanks in step with those of another system, and keeps a copy of them by the change feed. Run it every night: what
 * is the same is not written. It deletes only customers that it has created itself, and never many at once. The key needs the scopes
 * read and manage. With --dry-run, it says what it would do and changes nothing.
 *   TANKWATCH_URL=https://tanks.example.com TANKWATCH_KEY=... node examples/erp.ts copy.json [customers] [revision] [--dry-run]
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import {
  ApiError,
  type BulkAnswer,
  ConflictError,
  type CustomerLine,
  type TankLine,
  Tankwatch,
} from '../packages/client/src/client.ts';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean' } } });
const [file = 'copy.json', count = '10000', revision = '1'] = positionals;
const dryRun = values['dry-run'] === true;
/** More deletions at once are rather a mistake, such as an empty table in your own database: 1 %, or 10. */
const maxDeletions = (customers: number): number => Math.max(10, Math.floor(customers / 100));
const tankwatch = new Tankwatch({
  baseUrl: process.env['TANKWATCH_URL'] ?? 'http://localhost:8080',
  apiKey: process.env['TANKWATCH_KEY'] ?? '',
});

/** Stands for your own database. Revision 2 has another name for 1 % of the customers, and 10 customers less. */
function* ownCustomers(): Generator<CustomerLine> {
  const last = Number(count) - (revision === '2' ? 10 : 0);
  for (let n = 0; n < last; n++) {
    const name = `Customer ${n}${revision === '2' && n % 100 === 0 ? ' Ltd.' : ''}`;
    yield { external_key: `C-${n}`, name, email: `customer${n}@example.com` };
  }
}
const HOUSE = { name: 'House', capacity: 1000, capacity_unit: 'liters', min_fill_alert_percentage: 20 } as const;
function* ownTanks(): Generator<TankLine> {
  for (const { external_key } of ownCustomers())
    yield { ...HOUSE, owner_external_key: external_key, custom_id: 'tank-1' };
}

/** What Tankwatch has, as of the position `after` of the feed. */
interface Copy {
  after: string | null;
  /** The customers and tanks that this program has created. It deletes no others. */
  created: string[];
  customers: Record<string, { external_key: string | null; etag: string }>;
  tanks: Record<string, { owner_id: string; etag: string }>;
}
const NOTHING: Copy = { after: null, created: [], customers: {}, tanks: {} };

/** Reads what has changed since the last time. After a restore of the service, it reads everything again. */
async function follow(copy: Copy): Promise<Copy> {
  try {
    for (;;) {
      const page = await tankwatch.fleet.changes({ size: 1000, ...(copy.after === null ? {} : { after: copy.after }) });
      for (const { kind, id, customer, tank } of page.data) {
        if (customer !== null) copy.customers[id] = { external_key: customer.external_key, etag: customer.etag };
        else if (tank !== null) copy.tanks[id] = { owner_id: tank.owner_id, etag: tank.etag };
        else delete (kind === 'customer' ? copy.customers : copy.tanks)[id];
      }
      copy.after = page.next;
      if (!page.has_more) return copy;
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'gone')
      return follow({ ...NOTHING, created: copy.created, customers: {}, tanks: {} });
    throw error;
  }
}

async function save(copy: Copy): Promise<void> {
  if (dryRun) return;
  await writeFile(`${file}.new`, JSON.stringify(copy));
  await rename(`${file}.new`, file);
}

async function report(what: string, { summary, results }: BulkAnswer): Promise<void> {
  console.log(`${what}: ${summary.created} created, ${summary.updated} updated, ${summary.unchanged} unchanged`);
  for (const { line, status, errors, id } of results) {
    if (status === 'refused') console.error(`${what} line ${line}`, errors);
    if (status === 'created' && id !== null) copy.created.push(id);
  }
  // Saved at once: what this run has created must be known even if it fails later.
  await save(copy);
}

const saved = await readFile(file, 'utf8').catch(() => '{}');
let copy = await follow({ ...structuredClone(NOTHING), ...JSON.parse(saved) });
await report('customers', await tankwatch.manage.customers.putAll(ownCustomers(), { dryRun }));
// The tanks of customers that a dry run has not created would be refused.
if (!dryRun) await report('tanks', await tankwatch.manage.tanks.putAll(ownTanks()));

const own = new Set(Array.from(ownCustomers(), ({ external_key }) => external_key));
const created = new Set(copy.created);
const gone = Object.entries(copy.customers).filter(
  ([id, { external_key: key }]) => created.has(id) && (key === null || !own.has(key)),
);
const size = (objects: object): number => Object.keys(objects).length;
const limit = maxDeletions(size(copy.customers));
if (gone.length > limit) {
  console.error(`${gone.length} customers are gone, and at most ${limit} are deleted at once.`);
  process.exitCode = 1;
}
const deleted = new Set<string>();
for (const [id, { etag }] of gone.length > limit || dryRun ? [] : gone) {
  const tanks = Object.entries(copy.tanks).filter(([tankId, { owner_id }]) => owner_id === id && created.has(tankId));
  for (const [tankId, tank] of tanks) await tankwatch.manage.tanks.delete(tankId, { ifMatch: tank.etag });
  try {
    await tankwatch.manage.customers.delete(id, { ifMatch: etag });
    deleted.add(id);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    console.error(`the customer ${id} has a tank that others have created: ${error.conflictingId}`);
  }
}
copy = await follow(copy);
copy.created = copy.created.filter((id) => !deleted.has(id));
await save(copy);
const what = dryRun ? `would delete: ${gone.length}` : `deleted: ${deleted.size}`;
console.log(`${what}; copy: ${size(copy.customers)} customers, ${size(copy.tanks)} tanks`);
