import { describe, expect, onTestFinished } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { givenCustomer, givenCustomers, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { test as base, type TestApi, type TestDatabase } from '../support/test.ts';

interface Found {
  tanks: { tank: { name: string }; reading: object | null; status: string[] }[];
  customers: { name: string }[];
}

/** Two bakeries, a cabin and a school, of customers whose phone numbers are written in different ways. */
async function givenTown({ operator }: TestDatabase) {
  const organizationNo = await givenOrganization(operator);
  const [perkins, foods, brien] = await givenCustomers(operator, organizationNo, [
    { name: 'Élise Perkins', phone: '+1 802 555 0142', external_key: 'K-4711', email: 'elise@example.com' },
    { name: 'Green Mountain Foods', phone: '(802) 555-0199' },
    { name: "Sean O'Brien", phone: '030 123456' },
  ]);
  await givenTanks(operator, organizationNo, perkins.no, [
    { name: 'Lake cabin', custom_id: 'T-017', city: 'Stowe', postal_code: '05672', assigned_device_id: 'AA:BB:0C' },
  ]);
  await givenTanks(operator, organizationNo, foods.no, [
    { name: 'Bakery', street: 'Church Street', street_number: '50', city: 'Burlington' },
    { name: 'Bakery two', street: 'Church Street', street_number: '150', city: 'Burlington' },
  ]);
  await givenTanks(operator, organizationNo, brien.no, [{ name: 'School', district: 'Old town', city: 'Barre' }]);
  const [key, narrowed] = await Promise.all([
    givenKey(operator, { organizationNo }),
    givenKey(operator, { organizationNo, customerNo: foods.no }),
  ]);
  return { organizationNo, perkins, foods, brien, key: key.text, narrowed: narrowed.text };
}

const TANKS = 3_100;

/** A company with 3,100 tanks in three cities, and another customer with one tank. */
async function givenMany({ operator }: TestDatabase) {
  const organizationNo = await givenOrganization(operator);
  const company = await givenCustomer(operator, organizationNo, { name: 'Company' });
  const other = await givenCustomer(operator, organizationNo, { name: 'Zzyzx' });
  await givenTanks(
    operator,
    organizationNo,
    company.no,
    Array.from({ length: TANKS }, (_, n) => ({
      name: `Tank ${n}`,
      city: ['Evenville', 'Oddtown', 'Elsewhere'][n % 3] ?? '',
      ...(n % 30 === 0 ? { district: 'Westend' } : {}),
      ...(n === TANKS - 1 ? { custom_id: 'ZEBRA-1' } : {}),
    })),
  );
  await givenTanks(operator, organizationNo, other.no, [{ name: 'Last papapa', city: 'Evenville' }]);
  const { text: key } = await givenKey(operator, { organizationNo });
  return { organizationNo, key };
}

/** What tests that only search share. */
const test = base.extend<{
  $file: { town: Awaited<ReturnType<typeof givenTown>>; many: Awaited<ReturnType<typeof givenMany>> };
}>({
  town: [async ({ database }, use) => use(await givenTown(database)), { scope: 'file' }],
  many: [async ({ database }, use) => use(await givenMany(database)), { scope: 'file' }],
});

async function search(api: TestApi, key: string, q: string): Promise<{ tanks: string[]; customers: string[] }> {
  const { status, json, text } = await api.call(`/fleet/v1/search?q=${encodeURIComponent(q)}`, { key });
  if (status !== 200) throw new Error(text);
  const found: Found = json;
  return {
    tanks: found.tanks.map(({ tank }) => tank.name).toSorted(),
    customers: found.customers.map(({ name }) => name),
  };
}

describe('a search', () => {
  const CABIN = ['Lake cabin'];
  const BAKERIES = ['Bakery', 'Bakery two'];
  const CASES: [q: string, tanks: string[], customers: string[]][] = [
    ['perkins stowe', CABIN, []],
    ['stowe PERKINS', CABIN, []],
    ['foods bakery', BAKERIES, []],
    ['church street 50', ['Bakery'], []],
    ['street church burlington', BAKERIES, []],
    ['50, church street', ['Bakery'], []],
    ['elise', CABIN, ['Élise Perkins']],
    ['obrien barre', ['School'], []],
    ["o'brien", ['School'], ["Sean O'Brien"]],
    ['old town', ['School'], []],
    ['8025550142', CABIN, ['Élise Perkins']],
    ['802-555-0142', CABIN, ['Élise Perkins']],
    ['(802) 555.0142', CABIN, ['Élise Perkins']],
    ['+1 802 555', [...BAKERIES, ...CABIN].toSorted(), ['Élise Perkins', 'Green Mountain Foods']],
    ['+1 802 555 0199', BAKERIES, ['Green Mountain Foods']],
    ['+18025550199', BAKERIES, ['Green Mountain Foods']],
    ['001-802-555-0199', BAKERIES, ['Green Mountain Foods']],
    ['+49 30 123456', ['School'], ["Sean O'Brien"]],
    ['+4930123456', ['School'], ["Sean O'Brien"]],
    ['802 555 0142 stowe', CABIN, []],
    ['k-4711', CABIN, ['Élise Perkins']],
    ['k4711', CABIN, ['Élise Perkins']],
    ['t-017', CABIN, []],
    ['aabb0c', CABIN, []],
    ['05672', CABIN, []],
    ['elise@example.com', CABIN, ['Élise Perkins']],
    ['perkins barre', [], []],
    ['bakery %%% ___', BAKERIES, []],
  ];
  for (const [q, tanks, customers] of CASES) {
    test(`for "${q}" finds ${[...tanks, ...customers].join(', ') || 'nothing'}`, async ({ town, api }) => {
      expect(await search(api, town.key, q)).toEqual({ tanks, customers });
    });
  }

  test('finds for an owner only their own tanks, also by words of the owner', async ({ town: { narrowed }, api }) => {
    expect(await search(api, narrowed, 'foods burlington')).toEqual({ tanks: BAKERIES, customers: [] });
    expect(await search(api, narrowed, '802 555')).toEqual({ tanks: BAKERIES, customers: ['Green Mountain Foods'] });
    expect(await search(api, narrowed, 'stowe')).toEqual({ tanks: [], customers: [] });
  });

  test('needs three letters or digits in a row', async ({ town: { key }, api }) => {
    for (const q of ['ab', '50 a', '%%%', '- - -', '+1', 'a-b', '\u{1f600}\u{1f600}\u{1f600}']) {
      const { status } = await api.call(`/fleet/v1/search?q=${encodeURIComponent(q)}`, { key });
      expect([q, status]).toEqual([q, 422]);
    }
  });
});

const WAITING = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;

describe('the words of a tank and its owner', () => {
  test('follow every change, and nothing of a deleted tank or customer stays', async ({ database, api }) => {
    const { operator, owner } = database;
    const { organizationNo, key, perkins, brien } = await givenTown(database);
    await operator.query(`update customers set name = 'Ada Lovelace', phone = '555 9999' where no = $1`, [perkins.no]);
    expect(await search(api, key, 'perkins stowe')).toEqual({ tanks: [], customers: [] });
    expect(await search(api, key, 'lovelace stowe 5559999')).toMatchObject({ tanks: ['Lake cabin'] });

    await operator.query(
      `update tanks set owner_no = $1, street = 'Hill Road' where name = 'Lake cabin' and owner_no = $2`,
      [brien.no, perkins.no],
    );
    expect(await search(api, key, 'lovelace stowe')).toMatchObject({ tanks: [] });
    expect(await search(api, key, 'brien hill road')).toMatchObject({ tanks: ['Lake cabin'] });

    await operator.query(
      `update tanks set deleted_at = now(), assigned_device_id = null, custom_id = null, name = null, use_case = null,
         city = null, district = null, postal_code = null, street = null, street_number = null
       where owner_no = $1`,
      [brien.no],
    );
    await operator.query(
      `update customers set deleted_at = now(), email = null, name = null, phone = null, external_key = null where no = $1`,
      [brien.no],
    );
    expect(await search(api, key, 'hill road')).toEqual({ tanks: [], customers: [] });
    const { rows } = await owner.query<{ n: number }>(
      `select (select count(*) from tank_texts where organization_no = $1 and (text like '%brien%' or text like '%hill%'))
            + (select count(*) from customer_texts where organization_no = $1 and text like '%brien%') as n`,
      [organizationNo],
    );
    expect(Number(rows[0]?.n)).toBe(0);
  });

  test('agree with the catalog when an owner is renamed while a tank of it is created', async ({ database }) => {
    const { operator, owner } = database;
    const { organizationNo, perkins } = await givenTown(database);
    const creating = await operator.connect();
    onTestFinished(() => creating.release(true));
    await creating.query('begin');
    await creating.query(
      `insert into tanks (id, organization_no, owner_no, assigned_device_id, capacity, capacity_unit,
                          min_fill_alert_percentage, name)
       values (gen_random_uuid(), $1, $2, 'NEW', 500, 'liters', 20, 'New tank')`,
      [organizationNo, perkins.no],
    );
    const renaming = operator.query(`update customers set name = 'Grace Hopper' where no = $1`, [perkins.no]);
    await expect.poll(async () => (await owner.query(WAITING)).rowCount).toBe(1);
    await creating.query('commit');
    await renaming;
    const { rows } = await owner.query<{ text: string }>(
      `select x.text from tank_texts x join tanks t using (no) where t.owner_no = $1`,
      [perkins.no],
    );
    expect(rows.map(({ text }) => text.includes('grace hopper'))).toEqual([true, true]);
  });

  test('are filled in batches for rows from before, however often the migration is repeated', async ({ database }) => {
    const { owner } = database;
    await givenTown(database);
    const texts = `select no, organization_no, text, null as sort_name from tank_texts
       union all select no, organization_no, text, sort_name from customer_texts order by text, no`;
    const { rows: before } = await owner.query(texts);
    expect(before.length).toBeGreaterThanOrEqual(7);
    await owner.query('delete from tank_texts; delete from customer_texts');
    for (const _ of [1, 2]) await owner.query('call fill_search_texts()');
    expect((await owner.query(texts)).rows).toEqual(before);
  });
});

describe('in an organization with more texts than are compared one by one', () => {
  const numberFound = async (api: TestApi, key: string, q: string): Promise<number> =>
    (await api.call(`/fleet/v1/tanks?q=${q}`, { key })).json.total_items;

  test('rare words are found completely, common ones up to 1,000 tanks', async ({ many: { key }, api }) => {
    expect(await numberFound(api, key, 'zzyzx%20evenville')).toBe(1);
    expect(await numberFound(api, key, 'tank%20zebra1')).toBe(1);
    expect(await numberFound(api, key, 'westend')).toBe(104);
    expect(await numberFound(api, key, 'westend%20oddtown')).toBe(0);
    expect(await numberFound(api, key, 'evenville%20oddtown')).toBe(0);
    expect(await numberFound(api, key, 'tank')).toBe(1_000);
    // A word that repeats letters has only sequences that a shorter word has too, but must not match that word.
    expect(await numberFound(api, key, 'oooddtown')).toBe(0);
    expect(await numberFound(api, key, 'zzyzxzyzxzyz')).toBe(0);
    expect(await numberFound(api, key, 'papapa')).toBe(1);
  });

  test('uncommon words are found with the index, whatever the planner expects', async ({
    database,
    many: { organizationNo },
  }) => {
    await database.owner.query('analyze tank_texts');
    const plan = await transaction(database.owner, async (tx) => {
      await tx.query(`load 'auto_explain'`);
      await tx.query(`set local auto_explain.log_min_duration = 0; set local auto_explain.log_nested_statements = on;
                      set local client_min_messages = log`);
      const notices: string[] = [];
      const listen = ({ message }: { message?: string | undefined }): void => void notices.push(message ?? '');
      tx.on('notice', listen);
      const patterns = '{%evenville%,%oddtown%}';
      await tx.query(`select find_first_by_words('tanks', $1, $2, '{%ven%,%ddt%}', '{0,1}', 1000)`, [
        organizationNo,
        patterns,
      ]);
      tx.off('notice', listen);
      return notices.join('\n');
    });
    expect(plan).toContain('Bitmap Index Scan on tank_texts_by_text');
    expect(plan).not.toContain('Seq Scan');
  });
});
