import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect } from 'vitest';
import { serveGateway } from '../../src/gateway/serve.ts';
import { readGatewayConfig } from '../../src/settings/gateway_settings.ts';
import { startNats } from '../../src/setup/servers/nats.ts';
import { parseFormat } from '../../src/telemetry/format_query.ts';
import { parseBody } from '../../src/telemetry/payload_formats.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenCustomer, givenKey, givenOrganization } from '../support/fleet.ts';
import { test } from '../support/test.ts';

test('a narrowed key cannot send readings, because it would reach the tanks of all customers', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const { no: customerNo } = await givenCustomer(database.operator, organizationNo);
  const narrow = await givenKey(database.operator, { organizationNo, customerNo, scopes: ['ingest'] });
  const wide = await givenKey(database.operator, { organizationNo, scopes: ['ingest'] });
  const nats = await startNats();
  const config = readGatewayConfig({
    GATEWAY_DATABASE_URL: database.urls.gateway,
    NATS_URL: nats.url,
    DEVICE_SECRET: 'a secret that is long enough for a test',
    GATEWAY_HTTP_PORT: '0',
    GATEWAY_MQTT_PORT: '0',
  });
  const gateway = await serveGateway(config, pino({ level: 'silent' }), new Registry());
  const send = async (key: string, query = ''): Promise<Response> =>
    fetch(`${gateway.httpUrl}/ingest/readings${query}`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: '{"readings": []}',
    });

  expect(await (await send(narrow.text)).json()).toMatchObject({
    code: 'forbidden',
    detail: expect.stringContaining('narrowed'),
  });
  expect((await send(wide.text)).status).toBe(202);
  expect(await (await send(wide.text, '?formt=chirpstack')).json()).toMatchObject({
    status: 422,
    detail: expect.stringContaining('formt'),
  });
  await gateway.close();
  await nats.stop();

  const options = ['--organization', 'a0gas', '--name', 'x', '--scope', 'ingest', '--customer', 'C-1'];
  const refused = await runCommand(['keys', 'create', ...options], { DATABASE_URL: database.urls.operator });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('omit --customer') });
});

test('an uplink without a payload is ignored, and one that cannot be decoded is rejected as malformed', () => {
  const read = (format: string, body: object) => {
    const parsed = parseFormat(new URLSearchParams({ format, event: 'up' }));
    if ('errors' in parsed) throw new Error(JSON.stringify(parsed.errors));
    return parseBody(parsed, Buffer.from(JSON.stringify(body)), Date.now());
  };
  const nothing = { readings: [], rejections: [] };
  const ids = { end_device_ids: { dev_eui: '70B3D57ED0061A2B' } };
  const info = { deviceInfo: { devEui: '70b3d57ed0061a2b' } };
  expect(read('things-stack', { ...ids, uplink_message: { f_cnt: 3 } })).toEqual(nothing);
  expect(read('chirpstack', { ...info, fCnt: 3, data: '' })).toEqual(nothing);
  const undecoded = {
    code: 'malformed',
    deviceId: '70B3D57ED0061A2B',
    detail: expect.stringContaining('2 bytes on port 2 (0316)'),
  };
  const sent = { ...ids, uplink_message: { f_port: 2, frm_payload: 'AxY=' } };
  expect(read('things-stack', sent)).toMatchObject({ readings: [], rejections: [undecoded] });
  expect(read('chirpstack', { ...info, fPort: 2, data: 'AxY=' })).toMatchObject({
    readings: [],
    rejections: [undecoded],
  });
});
