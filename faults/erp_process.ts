import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BulkAnswer, Tankwatch } from '../packages/client/src/client.ts';
import { type ErpCopy, readCopy, store, type World } from './erp_world.ts';

/** Synchronizes Tankwatch with another system until it is killed. Arguments: URL, key, file of the other system, file of the copy. */
const [baseUrl = '', apiKey = '', worldFile = '', copyFile = ''] = process.argv.slice(2);
const tankwatch = new Tankwatch({ baseUrl, apiKey, timeoutMs: 10_000, maxRetries: 2 });
const PAGE = { size: 50 };

/** Reads both feeds to their ends into the copy. */
async function readFeeds(copy: ErpCopy): Promise<void> {
  for (let hasMore = true; hasMore; ) {
    const page = await tankwatch.fleet.changes({ ...PAGE, types: 'customer,tank', after: copy.after });
    for (const { kind, id, customer, tank } of page.data) {
      if (customer !== null) copy.customers[id] = { key: customer.external_key, etag: customer.etag };
      else if (tank !== null) copy.tanks[id] = { ownerId: tank.owner_id, customId: tank.custom_id, etag: tank.etag };
      else delete (kind === 'customer' ? copy.customers : copy.tanks)[id];
    }
    copy.after = page.next ?? undefined;
    hasMore = page.has_more;
    await store(copyFile, copy);
  }
  for (let hasMore = true; hasMore; ) {
    const page = await tankwatch.fleet.readings({ ...PAGE, after: copy.readingsAfter });
    for (const { tank_id, created_at, fill_percentage } of page.data) {
      if (`${tank_id} ${created_at}` in copy.readings) copy.doubled++;
      copy.readings[`${tank_id} ${created_at}`] = fill_percentage;
    }
    copy.readingsAfter = page.next ?? undefined;
    hasMore = page.has_more;
    await store(copyFile, copy);
  }
}

const changesOf = ({ summary }: BulkAnswer): number => summary.created + summary.updated + summary.refused;

/**
 * Makes one pass. The feeds are read before the other system, so that an object that the other system lists as gone was not
 * created in between. Every single change has the ETag of the copy. Returns the number of changes.
 */
async function synchronize(copy: ErpCopy): Promise<{ changes: number; revision: number }> {
  await readFeeds(copy);
  const world: World = JSON.parse(await readFile(worldFile, 'utf8'));
  const changed = new Set<string>();
  const customerOf = (key: string) => Object.entries(copy.customers).find(([, customer]) => customer.key === key);
  const tankOf = (ownerKey: string, customId: string) => {
    const [ownerId] = customerOf(ownerKey) ?? [];
    return Object.entries(copy.tanks).find(([, tank]) => tank.ownerId === ownerId && tank.customId === customId);
  };
  let changes = 0;

  for (const { key, formerKeys } of world.customers) {
    const former =
      customerOf(key) === undefined ? formerKeys.map(customerOf).find((entry) => entry !== undefined) : undefined;
    if (former === undefined) continue;
    const [id, { etag }] = former;
    await tankwatch.manage.customers.update(id, { external_key: key }, { ifMatch: etag });
    changed.add(id);
  }
  const customers = world.customers.map(({ key, name }) => ({ external_key: key, name, email: 'erp@example.com' }));
  changes += changesOf(await tankwatch.manage.customers.putAll(customers));

  for (const { ownerKey, customId, formerOwnerKeys } of world.tanks) {
    const [ownerId] = customerOf(ownerKey) ?? [];
    if (ownerId === undefined || tankOf(ownerKey, customId) !== undefined) continue;
    const former = formerOwnerKeys.map((key) => tankOf(key, customId)).find((entry) => entry !== undefined);
    if (former === undefined) continue;
    const [id, { etag }] = former;
    await tankwatch.manage.tanks.update(id, { owner_id: ownerId }, { ifMatch: etag });
    changed.add(id);
  }
  const tanks = world.tanks.map(({ ownerKey, customId, capacity }) => ({
    owner_external_key: ownerKey,
    custom_id: customId,
    name: 'House',
    capacity,
    capacity_unit: 'liters' as const,
    min_fill_alert_percentage: 20,
  }));
  changes += changesOf(await tankwatch.manage.tanks.putAll(tanks));

  for (const { ownerKey, customId } of world.gone.tanks) {
    const [id, tank] = tankOf(ownerKey, customId) ?? [];
    if (id === undefined || tank === undefined || changed.has(id)) continue;
    await tankwatch.manage.tanks.delete(id, { ifMatch: tank.etag });
    changed.add(id);
  }
  for (const key of world.gone.customers) {
    const [id, customer] = customerOf(key) ?? [];
    if (id === undefined || customer === undefined || changed.has(id)) continue;
    await tankwatch.manage.customers.delete(id, { ifMatch: customer.etag, withTanks: true });
    changed.add(id);
  }
  return { changes: changes + changed.size, revision: world.revision };
}

for (;;) {
  const copy = await readCopy(copyFile);
  try {
    const { changes, revision } = await synchronize(copy);
    if (changes === 0) await store(copyFile, { ...copy, settled: revision });
    await sleep(50);
  } catch {
    // After 412 the other program was faster; without an answer the service was killed. The next pass reads everything again.
    await sleep(100);
  }
}
