import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { call } from './call.ts';

const Created = Type.Object({ id: Type.String() });

export interface NewRows {
  /** Paths of /v1 and /fleet/v1 that show the new rows. The old release serves these paths too. */
  paths: string[];
  customers: number;
  tanks: number;
}

/**
 * Stores rows over /manage/v1 that only the new release can store. The old release must still serve its own interface with them.
 * `lowTankId` is the id of a low tank.
 */
export async function storeNewRows(apiUrl: string, key: string, lowTankId: string): Promise<NewRows> {
  const send = (method: 'POST' | 'PUT', path: string, json: object): Promise<unknown> =>
    call(`${apiUrl}/manage/v1${path}`, { method, key, json, headers: { 'idempotency-key': randomUUID() } });
  const create = async (method: 'POST' | 'PUT', path: string, json: object): Promise<string> =>
    Value.Decode(Created, await send(method, path, json)).id;
  const fromNow = (ms: number): string => new Date(Date.now() + ms).toISOString();

  const customerId = await create('PUT', '/customers/external_key/NEW', { name: 'New', email: 'new@example.com' });
  const tankId = await create('POST', '/tanks', {
    owner_id: customerId,
    name: 'Dipped',
    custom_id: 'NEW-1',
    assigned_device_id: 'manual',
    capacity: 500,
    capacity_unit: 'liters',
    min_fill_alert_percentage: 20,
  });
  await send('POST', `/tanks/${tankId}/dips`, { fill_percentage: 45, created_at: fromNow(-2 * DAY_MS) });
  await send('POST', `/tanks/${tankId}/dips`, { fill_percentage: 44 });
  await send('POST', `/tanks/${tankId}/notes`, { text: 'Gate code 1234' });
  await send('POST', `/tanks/${lowTankId}/acknowledgements`, { conditions: ['low'], until: fromNow(HOUR_MS) });
  await send('PUT', `/tanks/${tankId}/mute`, { until: fromNow(HOUR_MS) });
  await send('POST', '/contacts', { email: 'second@example.com', types: ['tank.low_fill'] });
  return {
    paths: [tankId, lowTankId]
      .flatMap((id) => [
        `/v1/tanks/${id}`,
        `/v1/tanks/${id}/telemetry`,
        `/fleet/v1/tanks/${id}`,
        `/fleet/v1/tanks/${id}/events`,
      ])
      .concat(`/v1/customers/${customerId}`, `/fleet/v1/customers/${customerId}/usage`, '/fleet/v1/search?q=Dipped'),
    customers: 1,
    tanks: 1,
  };
}
