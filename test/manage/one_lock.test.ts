import { Client } from 'pg';
import { expect, vi } from 'vitest';
import type { Finished } from '../support/cli.ts';
import { givenDoors } from '../support/doors.ts';
import type { Response } from '../support/http.ts';
import { CUSTOMER, TANK, test } from '../support/manage.ts';

test('a change of the catalog locks its organization with one statement', async ({ database, manage }) => {
  const doors = await givenDoors(database, manage);
  const send = vi.spyOn(Client.prototype, 'query');
  const lockedOnce = async (change: () => Promise<Response | Finished>): Promise<void> => {
    send.mockClear();
    const done = await change();
    expect('status' in done ? done.status < 300 : done.code === 0).toBe(true);
    const texts = send.mock.calls.flatMap(([text]) => (typeof text === 'string' ? [text] : []));
    expect(texts.filter((text) => text.includes('lock_organization'))).toHaveLength(1);
  };
  const key = '/customers/external_key/C-1';
  await lockedOnce(() => doors.call('PUT', key, CUSTOMER));
  await lockedOnce(() => doors.call('PUT', key, { ...CUSTOMER, phone: '+1' }));
  const { json } = await doors.call('GET', key);
  await lockedOnce(() => doors.call('PATCH', `/customers/${json.id}`, { phone: null }));
  const at = `/customers/${json.id}/tanks/custom_id/A`;
  await lockedOnce(() => doors.call('PUT', at, TANK));
  await lockedOnce(() => doors.call('PUT', at, { ...TANK, capacity: 2_000 }));
  const { json: tank } = await doors.call('GET', at);
  await lockedOnce(() => doors.call('PATCH', `/tanks/${tank.id}`, { capacity: 3_000 }));
  await lockedOnce(() => doors.call('PUT', `/tanks/${tank.id}/device`, { device_id: 'D1' }));
  await lockedOnce(() => doors.call('POST', '/devices/D1/password', { rotate: true }));
  const contact = { email: 'ana@example.com', types: [] };
  await lockedOnce(() => doors.call('POST', '/contacts', contact));
  await lockedOnce(() => doors.run('tanks', 'transfer', 'D1', '--to', 'C-1'));
  await lockedOnce(() => doors.call('DELETE', `/customers/${json.id}?with_tanks=true`));
  send.mockRestore();
});
