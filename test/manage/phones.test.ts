import { expect } from 'vitest';
import { exportCsv } from '../../src/catalog/export_csv.ts';
import { givenTank } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { CUSTOMER, givenManagedOrganization, type ManageApi, test } from '../support/manage.ts';
import type { TestDatabase } from '../support/test.ts';

const OFFICE = { number: '802 555 0142', whose: 'Office', text_for_loss: true };
const ANN = { number: '802 555 0177', whose: 'Ann Church, owner', text_for_loss: false };
const KITCHEN = { number: '802 555 0160 ext 4', whose: null, text_for_loss: false };

async function givenPhones(database: TestDatabase, manage: ManageApi) {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const body = { ...CUSTOMER, external_key: 'C-1', phones: [OFFICE, ANN, KITCHEN] };
  const { status, json } = await manage.call(key, 'POST', '/customers', { body });
  expect(status).toBe(201);
  const read = async () => (await manage.call(key, 'GET', `/customers/${json.id}`)).json;
  const patch = async (changes: object) =>
    manage.call(key, 'PATCH', `/customers/${json.id}`, { body: changes, ifMatch: (await read()).etag });
  return { key, organizationNo, id: String(json.id), read, patch };
}

test('the first phone is the one to call first, and programs that know only one phone keep the others', async ({
  database,
  manage,
}) => {
  const { key, organizationNo, id, read, patch } = await givenPhones(database, manage);
  const before = await read();
  expect(before).toMatchObject({ phone: OFFICE.number, phones: [OFFICE, ANN, KITCHEN] });
  // Another phone becomes the first.
  const { json: swapped } = await patch({ phones: [ANN, OFFICE] });
  expect(swapped).toMatchObject({ phone: ANN.number, phones: [ANN, OFFICE] });
  expect(swapped.etag).not.toBe(before.etag);
  expect(Date.parse(swapped.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
  // A program of 0.3 sends one phone.
  const put = { ...CUSTOMER, phone: '802 555 9999' };
  expect((await manage.call(key, 'PUT', '/customers/external_key/C-1', { body: put })).json.phones).toEqual([
    { ...ANN, number: '802 555 9999' },
    OFFICE,
  ]);
  expect((await patch({ phone: null })).json).toMatchObject({ phone: null, phones: [OFFICE] });
  // The list that was read is accepted, and its first phone is the one to call first.
  expect((await patch({ phone: null, phones: [OFFICE] })).json).toMatchObject({
    phone: OFFICE.number,
    phones: [OFFICE],
  });
  expect((await patch({ phones: [] })).json).toMatchObject({ phone: null, phones: [] });
  // Contradictions, empty numbers, long texts and more than 10 phones are refused.
  const refused = async (changes: object) => (await patch(changes)).json.errors?.[0]?.param;
  expect(await refused({ phone: '1', phones: [ANN] })).toBe('phone');
  expect(await refused({ phones: [{ ...ANN, number: ' ' }] })).toBe('phones[0].number');
  expect(await refused({ phones: [ANN, { ...ANN, whose: 'x'.repeat(101) }] })).toBe('phones[1].whose');
  expect(await refused({ phones: Array.from({ length: 11 }, () => ANN) })).toBe('phones');
  const { rows } = await database.owner.query<{ fields: string[] }>(
    `select fields from audit_log where organization_no = $1 and object = 'customer' and action = 'update' order by no limit 1`,
    [organizationNo],
  );
  expect(rows[0]?.fields).toEqual(['is_phone_texted', 'other_phones', 'phone', 'phone_whose']);

  // The status of a tank has the phones of its owner.
  await patch({ phones: [OFFICE, ANN] });
  const { rows: stored } = await database.owner.query<{ no: number }>('select no from customers where id = $1', [id]);
  const tank = await givenTank(database.operator, organizationNo, stored[0]?.no ?? 0);
  const { json: status } = await callApi(manage.url, `/fleet/v1/tanks/${tank.id}`, { key });
  expect(status.owner).toMatchObject({ phone: OFFICE.number, phones: [OFFICE, ANN] });
  // A search finds every phone, and no removed one.
  const found = async (q: string): Promise<number[]> => {
    const lists = await Promise.all(
      ['tanks', 'customers'].map((list) => callApi(manage.url, `/fleet/v1/${list}?q=${q}`, { key })),
    );
    return lists.map(({ json }) => json.data.length);
  };
  expect(await found('8025550142')).toEqual([1, 1]);
  expect(await found('%2B1+802+555+0177')).toEqual([1, 1]);
  await patch({ phones: [OFFICE, KITCHEN] });
  expect(await found('8025550177')).toEqual([0, 0]);
  expect(await found('5550160')).toEqual([1, 1]);
});

test('all errors of a customer are reported at once, those of its phones too', async ({ database, manage }) => {
  const { patch } = await givenPhones(database, manage);
  const bad = { email: 'nobody', phone: '1', phones: [{ ...OFFICE, number: '' }] };
  expect((await patch(bad)).json.errors.map(({ param }: { param: string }) => param)).toEqual([
    'email',
    'phones[0].number',
  ]);
});

test('deleting a customer erases all phones', async ({ database, manage }) => {
  const { key, id, read } = await givenPhones(database, manage);
  await manage.call(key, 'DELETE', `/customers/${id}`, { ifMatch: (await read()).etag });
  const { rows } = await database.owner.query(
    'select phone, phone_whose, is_phone_texted, other_phones from customers where id = $1',
    [id],
  );
  expect(rows).toEqual([{ phone: null, phone_whose: null, is_phone_texted: false, other_phones: null }]);
});

test('a file has other phones in one cell, the same file changes nothing, and an undo restores the phones', async ({
  database,
  manage,
}) => {
  const { key, organizationNo, read } = await givenPhones(database, manage);
  const send = async (file: string) => {
    const { status, json } = await manage.call(key, 'POST', '/imports', { body: new TextEncoder().encode(file) });
    expect(status, JSON.stringify(json)).toBe(200);
    return { ...json.counts, id: json.import?.id, errors: json.refused_rows };
  };
  const head = 'external_key,email,name,phone,other_phones\n';
  const row = (phones: string): string => `C-1,${CUSTOMER.email},${CUSTOMER.name},${OFFICE.number},${phones}\n`;
  const changed = await send(head + row('802 555 0177 Ann Church; 802 555 0161'));
  expect(changed).toMatchObject({ updated: 1, refused: 0 });
  expect((await read()).phones).toEqual([
    OFFICE,
    { number: '802 555 0177', whose: 'Ann Church', text_for_loss: false },
    { number: '802 555 0161', whose: null, text_for_loss: false },
  ]);
  expect(await send(head + row('802 555 0177 Ann Church; 802 555 0161'))).toMatchObject({ updated: 0, unchanged: 1 });
  expect(await send(head + row('ask Ann'))).toMatchObject({ refused: 1 });
  expect((await manage.call(key, 'POST', `/imports/${changed.id}/undo`)).json).toMatchObject({ restored: 1, kept: 0 });
  expect((await read()).phones).toEqual([OFFICE, ANN, KITCHEN]);
  const [, line] = (await Array.fromAsync(exportCsv(database.operator, organizationNo, 'customers')))
    .join('')
    .split('\n');
  expect(line).toContain('802 555 0142,Office,true,"802 555 0177: Ann Church, owner; 802 555 0160 ext 4"');

  // A sheet can have customers and tanks.
  const sheet =
    'owner,customer_name,customer_email,customer_phone,customer_other_phones,custom_id,name,assigned_device_id,capacity,capacity_unit,' +
    'min_fill_alert_percentage\nC-2,Inn,inn@example.com,1234,5678 Ida [text],1,House,GAUGE-1,500,liters,20\n';
  expect(await send(sheet)).toMatchObject({ created: 1, refused: 0 });
  expect((await manage.call(key, 'GET', '/customers/external_key/C-2')).json.phones).toEqual([
    { number: '1234', whose: null, text_for_loss: false },
    { number: '5678', whose: 'Ida', text_for_loss: true },
  ]);
});
