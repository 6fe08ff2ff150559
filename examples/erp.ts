/**
 * Keeps customers and tanks in step with those of another system, and keeps a copy of them by the change feed. Run it every night: what
 * is the same is not written. The key needs the scopes read and manage.
 *   TANKWATCH_URL=https://tanks.example.com TANKWATCH_KEY=... node examples/erp.ts copy.json [customers] [revision]
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import {
  ApiError,
  type BulkAnswer,
  type CustomerLine,
  type TankLine,
  Tankwatch,
} from '../packages/client/src/client.ts';

const [file = 'copy.json', count = '10000', revision = '1'] = process.argv.slice(2);
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
  customers: Record<string, { external_key: string | null; etag: string }>;
  tanks: Record<string, { owner_id: string; etag: string }>;
}
const NOTHING = (): Copy => ({ after: null, customers: {}, tanks: {} });

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
    if (error instanceof ApiError && error.code === 'gone') return follow(NOTHING());
    throw error;
  }
}

const report = (what: string, { summary, results }: BulkAnswer): void => {
  console.log(`${what}: ${summary.created} created, ${summary.updated} updated, ${summary.unchanged} unchanged`);
  for (const { line, status, errors } of results)
    if (status === 'refused') console.error(`${what} line ${line}`, errors);
};

const saved = await readFile(file, 'utf8').catch(() => JSON.stringify(NOTHING()));
let copy = await follow(JSON.parse(saved));
report('customers', await tankwatch.manage.customers.putAll(ownCustomers()));
report('tanks', await tankwatch.manage.tanks.putAll(ownTanks()));
const own = new Set(Array.from(ownCustomers(), ({ external_key }) => external_key));
const gone = Object.entries(copy.customers).filter(([, { external_key: key }]) => key !== null && !own.has(key));
for (const [id, { etag }] of gone) await tankwatch.manage.customers.delete(id, { ifMatch: etag, withTanks: true });
copy = await follow(copy);
await writeFile(`${file}.new`, JSON.stringify(copy));
await rename(`${file}.new`, file);
const size = (objects: object): number => Object.keys(objects).length;
console.log(`deleted: ${gone.length}; copy: ${size(copy.customers)} customers, ${size(copy.tanks)} tanks`);
