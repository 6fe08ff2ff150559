import { Client } from 'pg';
import { expect, vi } from 'vitest';
import type { Finished } from '../support/cli.ts';
import type { Response } from '../support/http.ts';
import { givenInterfaces } from '../support/interfaces.ts';
import { CUSTOMER, TANK, test } from '../support/manage.ts';

test('a change of the catalog locks its organization with one statement', async ({ database, manage }) => {
  const interfaces = await givenInterfaces(database, manage);
  const send = vi.spyOn(Client.prototype, 'query');
  const expectOneLock = async (change: () => Promise<Response | Finished>): Promise<void> => {
    send.mockClear();
    const done = await change();
    expect('status' in done ? done.status < 300 : done.code === 0).toBe(true);
    const texts = send.mock.calls.flatMap(([text]) => (typeof text === 'string' ? [text] : []));
    expect(texts.filter((text) => text.includes('lock_organization'))).toHaveLength(1);
  };
  const key = '/customers/external_key/C-1';
  await expectOneLock(() => interfaces.call('PUT', key, CUSTOMER));
  await expectOneLock(() => interfaces.call('PUT', key, { ...CUSTOMER, phone: '+1' }));
  const { json } = await interfaces.call('GET', key);
  await expectOneLock(() => interfaces.call('PATCH', `/customers/${json.id}`, { phone: null }));
  const tankPath = `/customers/${json.id}/tanks/custom_id/A`;
  await expectOneLock(() => interfaces.call('PUT', tankPath, TANK));
  await expectOneLock(() => interfaces.call('PUT', tankPath, { ...TANK, capacity: 2_000 }));
  const { json: tank } = await interfaces.call('GET', tankPath);
  await expectOneLock(() => interfaces.call('PATCH', `/tanks/${tank.id}`, { capacity: 3_000 }));
  await expectOneLock(() => interfaces.call('PUT', `/tanks/${tank.id}/device`, { device_id: 'D1' }));
  await expectOneLock(() => interfaces.call('POST', '/devices/D1/password', { rotate: true }));
  const contact = { email: 'ana@example.com', types: [] };
  await expectOneLock(() => interfaces.call('POST', '/contacts', contact));
  await expectOneLock(() => interfaces.run('tanks', 'transfer', 'D1', '--to', 'C-1'));
  await expectOneLock(() => interfaces.call('DELETE', `/customers/${json.id}?with_tanks=true`));
  send.mockRestore();
});
