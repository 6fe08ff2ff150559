import { expect } from 'vitest';
import { FLEET_OPERATIONS } from '../../src/api/fleet/operations.ts';
import { MANAGE_OPERATIONS } from '../../src/api/manage/operations.ts';
import { responseSchema } from '../../src/api/schemas/values.ts';
import { callApi } from '../support/http.ts';
import { CUSTOMER, givenManagedOrganization, test } from '../support/manage.ts';

test('every list with pages takes `after`, and returns `next` and `has_more`', () => {
  const lists = [
    ...FLEET_OPERATIONS.map(({ path, parameters, ...operation }) => ({
      path,
      names: Object.keys(parameters),
      fields: Object.keys(responseSchema(operation).properties),
    })),
    ...MANAGE_OPERATIONS.map(({ path, parameters, item }) => ({
      path,
      names: Object.keys(parameters),
      fields: Object.keys(item?.properties ?? {}),
    })),
  ].filter(({ names }) => names.includes('size'));
  expect(lists.length).toBeGreaterThan(12);
  for (const { path, names, fields } of lists)
    expect([path, names, fields]).toEqual([
      path,
      expect.arrayContaining(['after']),
      expect.arrayContaining(['next', 'has_more']),
    ]);
});

test('`next` reads the audit log to its end, and `before` of 0.3 gives the same pages', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  for (const name of ['A', 'B', 'C'])
    await manage.call(key, 'PUT', `/customers/external_key/${name}`, { body: { ...CUSTOMER, name } });
  const read = async (query: string) => (await callApi(manage.url, `/manage/v1/audit?size=1${query}`, { key })).json;
  const seen: number[] = [];
  for (let query = ''; ; ) {
    const { data, next, has_more } = await read(query);
    seen.push(...data.map(({ number }: { number: number }) => number));
    expect(has_more).toBe(next !== null);
    if (!has_more) break;
    expect((await read(`&before=${data[0].number}`)).data).toEqual((await read(`&after=${next}`)).data);
    query = `&after=${next}`;
  }
  expect(seen.length).toBeGreaterThanOrEqual(3);
  expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => b - a));
});
