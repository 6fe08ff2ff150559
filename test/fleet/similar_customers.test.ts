import { expect } from 'vitest';
import { givenCustomer, givenCustomers, givenKey, givenOrganization, givenTank } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { type TestDatabase, test } from '../support/test.ts';

async function givenChurchStreet({ operator }: TestDatabase, others: number) {
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo, {
    name: 'Church Street Foods',
    external_key: '10413',
    email: 'office@churchstreet.example',
    phone: '+1 802 555 0160',
  });
  await givenTank(operator, organizationNo, customer.no, { street: 'Church Street', street_number: '52' });
  await givenCustomers(
    operator,
    organizationNo,
    Array.from({ length: others }, (_, n) => ({ name: `Person ${n} Surname${n % 97}`, phone: `802 556 ${1000 + n}` })),
  );
  const { text: key } = await givenKey(operator, { organizationNo });
  const { text: narrowed } = await givenKey(operator, { organizationNo, customerNo: customer.no });
  return { organizationNo, customer, key, narrowed };
}

// With more than 1,000 customers, the index of texts is used.
test.for([{ others: 5 }, { others: 1_200 }])(
  'a customer is found by key, phone, address, email or a similar name, among $others others',
  async ({ others }, { api, database }) => {
    const { customer, key } = await givenChurchStreet(database, others);
    const find = async (typed: Record<string, string>): Promise<unknown> => {
      const { json, status } = await callApi(
        api.url,
        `/fleet/v1/similar_customers?${new URLSearchParams(typed).toString()}`,
        {
          key,
        },
      );
      expect(status).toBe(200);
      return (json as { customers: { id: string; same: string[] }[] }).customers
        .filter(({ id }) => id === customer.id)
        .map(({ same }) => same.join(' '));
    };
    expect(await find({})).toEqual([]);
    expect(await find({ external_key: '10413' })).toEqual(['external_key']);
    expect(await find({ email: 'office@churchstreet.example' })).toEqual(['email']);
    expect(await find({ phone: '802-555-0160' })).toEqual(['phone']);
    expect(await find({ phone: '0160' })).toEqual([]);
    expect(await find({ street: 'Church St', street_number: '52' })).toEqual(['address']);
    expect(await find({ street: 'Church St', street_number: '5' })).toEqual([]);
    for (const name of ['Church St Foods', 'Chruch Street Foods', 'CHURCH STREET FOODS LLC'])
      expect([name, await find({ name })]).toEqual([name, ['name']]);
    expect(await find({ name: 'Mill Road Bakery' })).toEqual([]);
    expect(await find({ name: 'Church St Foods', phone: '(802) 555 0160' })).toEqual(['phone name']);
    expect(await find({ external_key: '10413', except: customer.id })).toEqual([]);
  },
);

test('nobody finds customers of another organization, a narrowed key finds none, and at most three are returned', async ({
  api,
  database,
}) => {
  const { narrowed } = await givenChurchStreet(database, 0);
  const strangers = await givenOrganization(database.operator);
  const { text: stranger } = await givenKey(database.operator, { organizationNo: strangers });
  const everything = new URLSearchParams({
    name: 'Church Street Foods',
    external_key: '10413',
    phone: '+1 802 555 0160',
    email: 'office@churchstreet.example',
    street: 'Church Street',
    street_number: '52',
  });
  const find = (key: string) => callApi(api.url, `/fleet/v1/similar_customers?${everything.toString()}`, { key });
  expect((await find(stranger)).json).toEqual({ object: 'similar_customers', customers: [] });
  expect((await find(narrowed)).json).toEqual({ object: 'similar_customers', customers: [] });
  await givenCustomers(
    database.operator,
    strangers,
    Array.from({ length: 5 }, () => ({ name: 'Church Street Food' })),
  );
  expect((await find(stranger)).json).toMatchObject({ customers: [{ same: ['name'] }, {}, {}] });
});
