import { describe, expect } from 'vitest';
import { oneEditAway } from '../../src/status/one_edit.ts';
import { givenCustomer, givenCustomers, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { type TestApi, type TestDatabase, test } from '../support/test.ts';

interface Found {
  tanks: { tank: { name: string } }[];
  customers: { name: string }[];
}
type Searched = Found & { similar: (Found & { q: string; others: string[] }) | null };

const namesOf = ({ tanks, customers }: Found): string[] =>
  [...tanks.map(({ tank }) => tank.name), ...customers.map(({ name }) => name)].toSorted();

/** The names that were found as typed, and the similar ones with the words that found them. */
async function search(api: TestApi, key: string, q: string) {
  const { status, json, text } = await api.call(`/fleet/v1/search?q=${encodeURIComponent(q)}`, { key });
  if (status !== 200) throw new Error(text);
  const { similar, ...exact }: Searched = json;
  return { exact: namesOf(exact), ...(similar && { q: similar.q, others: similar.others, similar: namesOf(similar) }) };
}

async function givenTown({ operator }: TestDatabase) {
  const organizationNo = await givenOrganization(operator);
  const [lopez, foods, fritz] = await givenCustomers(operator, organizationNo, [
    { name: 'Renée López', phone: '802 555 0142', email: 'renee@example.com' },
    { name: 'Green Mountain Foods' },
    { name: 'Fritz Müller' },
  ]);
  await givenTanks(operator, organizationNo, lopez.no, [
    { name: 'House', street: 'Maple Street', street_number: '7', city: 'Lafayette', custom_id: 'TK-4711' },
  ]);
  await givenTanks(operator, organizationNo, foods.no, [
    { name: 'Bakery', street: 'Maple Street', city: 'Burlington' },
    { name: 'Kitchen', street: 'Mabel Road', city: 'Burlington' },
  ]);
  await givenTanks(operator, organizationNo, fritz.no, [{ name: 'Farm', street: 'Mill Road', city: 'Stowe' }]);
  const { text: key } = await givenKey(operator, { organizationNo });
  const { text: ofLopez } = await givenKey(operator, { organizationNo, customerNo: lopez.no });
  return { organizationNo, lopez, foods, fritz, key, ofLopez };
}

test('one typing error in a word is corrected, and the result has the corrected words', async ({ database, api }) => {
  const { key } = await givenTown(database);
  const cases: [q: string, corrected: string, found: string[]][] = [
    ['lafayete', 'lafayette', ['House']],
    ['LAFAYETTTE', 'lafayette', ['House']],
    ['lafaiette', 'lafayette', ['House']],
    ['alfayette', 'lafayette', ['House']],
    ['burlingtno foods', 'burlington foods', ['Bakery', 'Kitchen']],
    ['maple lafayete', 'maple lafayette', ['House']],
    ['lafyette maplle', 'lafayette maple', ['House']],
    ['lopze', 'lopez', ['House', 'Renée López']],
    ['lópze', 'lopez', ['House', 'Renée López']],
    ['mullre', 'muller', ['Farm', 'Fritz Müller']],
    // The word is not complete yet.
    ['lafyet', 'lafayette', ['House']],
    ['burlnig', 'burlington', ['Bakery', 'Kitchen']],
  ];
  for (const [q, corrected, similar] of cases)
    expect([q, await search(api, key, q)]).toMatchObject([q, { exact: [], q: corrected, similar }]);
});

test('the word that most tanks and customers have comes first, and others are offered', async ({ database, api }) => {
  const { key } = await givenTown(database);
  expect(await search(api, key, 'mapel')).toEqual({
    exact: [],
    q: 'maple',
    others: ['mabel'],
    similar: ['Bakery', 'House'],
  });
});

test('exact results come first, and with three of them no similar ones are added', async ({ database, api }) => {
  const { key, organizationNo, fritz } = await givenTown(database);
  await givenTanks(database.operator, organizationNo, fritz.no, [{ name: 'Shed of Mapel' }]);
  expect(await search(api, key, 'mapel')).toMatchObject({ exact: ['Shed of Mapel'], q: 'maple' });
  expect(await search(api, key, 'maple street')).toEqual({ exact: ['Bakery', 'House'] });
  await givenTanks(database.operator, organizationNo, fritz.no, [{ name: 'Mapel one' }, { name: 'Mapel two' }]);
  expect(await search(api, key, 'mapel')).toEqual({ exact: ['Mapel one', 'Mapel two', 'Shed of Mapel'] });
});

test('numbers, short words and words with two slips are not corrected', async ({ database, api }) => {
  const { key } = await givenTown(database);
  for (const q of ['tk-4712', '8025550143', 'mlil 99', 'mlp', 'lafiaete', 'renee@exmaple.com'])
    expect([q, await search(api, key, q)]).toEqual([q, { exact: [] }]);
});

test('nobody gets words or hits of others: not an owner, not another organization', async ({ database, api }) => {
  const { ofLopez } = await givenTown(database);
  expect(await search(api, ofLopez, 'mapel')).toMatchObject({ q: 'maple', others: [], similar: ['House'] });
  expect(await search(api, ofLopez, 'lopze')).toMatchObject({ q: 'lopez', similar: ['House', 'Renée López'] });
  for (const q of ['burlingtno', 'kithcen', 'mullre']) expect(await search(api, ofLopez, q)).toEqual({ exact: [] });

  const strangers = await givenOrganization(database.operator);
  const stranger = await givenCustomer(database.operator, strangers, { name: 'Stranger' });
  await givenTanks(database.operator, strangers, stranger.no, [{ name: 'Far away' }]);
  const { text: key } = await givenKey(database.operator, { organizationNo: strangers });
  for (const q of ['lafayete', 'mapel', 'lopze']) expect(await search(api, key, q)).toEqual({ exact: [] });
});

test('words follow every change, and a word goes with the last text that has it', async ({ database, api }) => {
  const { operator, owner } = database;
  const { organizationNo, key, lopez, foods } = await givenTown(database);
  const words = async (): Promise<Record<string, number>> => {
    const { rows } = await owner.query<{ word: string; n: number }>(
      'select word, n from search_words where organization_no = $1 order by word',
      [organizationNo],
    );
    return Object.fromEntries(rows.map(({ word, n }) => [word, n]));
  };
  const recounted = async (): Promise<Record<string, number>> => {
    await owner.query('select recount_search_words($1)', [organizationNo]);
    return words();
  };
  expect(await words()).toMatchObject({ maple: 2, street: 2, road: 2, lopez: 1, lafayette: 1, foods: 1 });

  await operator.query(`update tanks set street = 'Oak Lane', owner_no = $2 where owner_no = $1`, [lopez.no, foods.no]);
  await operator.query(`update customers set name = 'Renée Lovelace', phone = null where no = $1`, [lopez.no]);
  const changed = await words();
  expect(changed).toMatchObject({ maple: 1, street: 1, lane: 1, lovelace: 1 });
  expect(changed).not.toHaveProperty('lopez');
  expect(await recounted()).toEqual(changed);
  expect(await search(api, key, 'lvoelace')).toMatchObject({ similar: ['Renée Lovelace'] });

  await operator.query(
    `update tanks set deleted_at = now(), assigned_device_id = null, custom_id = null, name = null, use_case = null,
       city = null, district = null, postal_code = null, street = null, street_number = null
     where owner_no = $1`,
    [foods.no],
  );
  for (const { no } of [lopez, foods])
    await operator.query(
      `update customers set deleted_at = now(), email = null, name = null, phone = null, external_key = null where no = $1`,
      [no],
    );
  const left = await words();
  expect(left).toEqual({ farm: 1, fritz: 1, mill: 1, muller: 1, road: 1, stowe: 1 });
  expect(await recounted()).toEqual(left);
  for (const _ of [1, 2]) await owner.query('call fill_search_words()');
  expect(await words()).toEqual(left);
});

describe('texts that are one edit away from a word', () => {
  test('have two letters swapped, or one missing, too many or wrong', () => {
    const found = oneEditAway('maple');
    for (const text of ['ample', 'mapel', 'aple', 'mple', 'mapl', 'mapple', 'maplen', 'xmaple', 'mabel', 'naple'])
      expect([text, found.has(text)]).toEqual([text, text !== 'mabel']);
    expect(found.has('maple')).toBe(false);
    expect(oneEditAway('œuvre').has('uœvre')).toBe(true);
    expect(found.size).toBeLessThan(300);
  });
});
