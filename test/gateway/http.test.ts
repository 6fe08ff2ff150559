import { expect } from 'vitest';
import { givenKey } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { givenSender, postBody, postReadings, rejectedOf, test, untilCommitted } from '../support/ingest.ts';

const at = (second: number): string => new Date(Date.UTC(2025, 0, 1, 0, 0, second)).toISOString();

test('a 202 response contains the number of accepted readings, and the index and error of each rejected one', async ({
  database,
  ingest,
}) => {
  const { organizationNo, key, tankNos } = await givenSender(database, ['H1']);
  const readings = [
    { device_id: 'H1', fill_percentage: 45.5, created_at: at(0) },
    { device_id: 'H1', fill_percentage: 145.5, created_at: at(1) },
    { device_id: 'H1', fill_percentage: 44.5, created_at: at(2) },
    'nonsense',
    { device_id: '', fill_percentage: 1 },
    { device_id: 'NOBODY', fill_percentage: 1, created_at: at(3) },
  ];
  const answer = await postReadings(ingest.gateway.httpUrl, key, readings);
  expect(answer.status).toBe(202);
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-request-id': expect.any(String) });
  // Only the writer knows the assignments, so it records the reading of an unassigned device as rejected.
  expect(answer.json).toEqual({
    accepted: 3,
    rejected: [
      { index: 1, code: 'out_of_range', detail: expect.stringContaining('145.5') },
      { index: 3, code: 'malformed', detail: expect.any(String) },
      { index: 4, code: 'malformed_device', detail: expect.any(String) },
    ],
  });
  await untilCommitted(ingest.stream);
  const { rows } = await database.owner.query('select fill_percentage from telemetry where tank_no = $1 order by 1', [
    tankNos[0],
  ]);
  expect(rows).toEqual([{ fill_percentage: 44.5 }, { fill_percentage: 45.5 }]);
  expect((await rejectedOf(database, organizationNo)).map(({ device_id, code }) => [device_id, code])).toEqual([
    ['NOBODY', 'unknown_device'],
    ['H1', 'out_of_range'],
    [null, 'malformed'],
    [null, 'malformed_device'],
  ]);
  expect(await postReadings(ingest.gateway.httpUrl, key, [])).toMatchObject({
    status: 202,
    json: { accepted: 0, rejected: [] },
  });
});

test('a body of 1,000 readings is accepted and a body of 1,001 is refused as a whole', async ({ database, ingest }) => {
  const { key, tankNos } = await givenSender(database, ['H2']);
  const readings = Array.from({ length: 1_001 }, (_, n) => ({
    device_id: 'H2',
    fill_percentage: 5,
    created_at: at(n),
  }));
  const tooMany = await postReadings(ingest.gateway.httpUrl, key, readings);
  expect([tooMany.status, tooMany.json.detail]).toEqual([400, expect.stringContaining('at most 1000 readings')]);
  const enough = await postReadings(ingest.gateway.httpUrl, key, readings.slice(1));
  expect([enough.status, enough.json]).toEqual([202, { accepted: 1_000, rejected: [] }]);
  await untilCommitted(ingest.stream);
  const { rows } = await database.owner.query('select n from telemetry_month_counters where tank_no = $1', [
    tankNos[0],
  ]);
  expect(rows).toEqual([{ n: 1_000 }]);
});

test('a body that cannot be parsed gets a 400 that says what to send', async ({ database, ingest }) => {
  const { key } = await givenSender(database, ['H3']);
  const url = ingest.gateway.httpUrl;
  const attempts: [string, RegExp][] = [
    ['', /has no body; send the readings/],
    ['{"readings": [', /is not valid JSON/],
    ['[]', /must be a JSON object/],
    ['null', /must be a JSON object/],
    ['{"readings": {}}', /must be \{"readings": \[\.\.\.\]\}/],
    ['{"reading": []}', /must be \{"readings": \[\.\.\.\]\}/],
    [`{"readings": "${'x'.repeat(1_048_576)}"}`, /larger than the limit/],
  ];
  for (const [body, detail] of attempts) {
    const answer = await postBody(url, key, body);
    expect([answer.status, answer.json.code]).toEqual([400, 'malformed_request']);
    expect(answer.json.detail).toMatch(detail);
  }
  const query = await postBody(url, key, '{}', '?format=xml&level=x&unit=kg&foo=1');
  expect([query.status, query.json.code]).toEqual([422, 'invalid_parameters']);
  expect(query.json.errors).toMatchObject([
    { param: 'foo', code: 'unknown' },
    { param: 'format', code: 'invalid' },
    { param: 'unit', code: 'invalid' },
  ]);
});

test('requests without permission or with a wrong path or method get 401, 403, 404 or 405 as problems', async ({
  database,
  ingest,
}) => {
  const { organizationNo, key } = await givenSender(database, ['H4']);
  const { text: readOnly } = await givenKey(database.operator, { organizationNo, scopes: ['read'] });
  const url = ingest.gateway.httpUrl;
  const body = JSON.stringify({ readings: [{ device_id: 'H4', fill_percentage: 1 }] });
  const outcome = async (path: string, options: object) => {
    const { status, headers, json } = await callApi(url, path, { method: 'POST', body, ...options });
    expect(headers['content-type']).toMatch('application/problem+json');
    return [status, json.code, headers['www-authenticate'] ?? headers['allow']];
  };
  expect(await outcome('/ingest/readings', {})).toEqual([401, 'unauthorized', 'ApiKey']);
  // The same route, written in another way, is authenticated too.
  for (const path of ['/ingest/%72eadings', '/ingest/readin%67s?x=1', '/%69ngest/readings'])
    expect(await outcome(path, {})).toEqual([401, 'unauthorized', 'ApiKey']);
  expect(await outcome('/ingest/readings', { key: `${key}x` })).toEqual([401, 'unauthorized', 'ApiKey']);
  expect(await outcome('/ingest/readings', { key: readOnly })).toEqual([403, 'forbidden', undefined]);
  expect(await outcome('/ingest', { key })).toEqual([404, 'not_found', undefined]);
  expect(await outcome('/ingest/readings', { key, method: 'PUT' })).toEqual([405, 'method_not_allowed', 'POST']);
  expect(await outcome('/ingest/readings', { key, method: 'GET' })).toEqual([405, 'method_not_allowed', 'POST']);
});

test('a key above its rate limit gets a 429 with Retry-After', async ({ database, ingest }) => {
  const { organizationNo } = await givenSender(database, ['H5']);
  const { text: key } = await givenKey(database.operator, {
    organizationNo,
    scopes: ['ingest'],
    requestsPerSecond: 1,
    burst: 2,
  });
  const startedAt = performance.now();
  // All requests are sent at once, because the key earns one more request each second on a slow machine.
  const answers = await Promise.all(Array.from({ length: 20 }, () => postReadings(ingest.gateway.httpUrl, key, [])));
  const seconds = (performance.now() - startedAt) / 1_000;
  const refused = answers.filter(({ status }) => status !== 202);
  expect(refused.length).toBeLessThanOrEqual(18);
  expect(refused.length).toBeGreaterThanOrEqual(18 - Math.ceil(seconds));
  for (const { status, headers, json } of refused)
    expect([status, headers['retry-after'], json.code]).toEqual([429, '1', 'rate_limited']);
});

test('the query declares the payload format, and the content type is ignored', async ({ database, ingest }) => {
  const { key, organizationNo, tankNos } = await givenSender(database, ['H6', '70B3D57ED0001234']);
  const url = ingest.gateway.httpUrl;
  const own = { readings: [{ device_id: 'H6', lvl: 0.5, created_at: at(0) }] };
  expect((await postBody(url, key, JSON.stringify(own), '?level=lvl&unit=fraction')).json.accepted).toBe(1);
  const uplink = {
    time: '2025-01-01T00:00:01.594623020+00:00',
    deviceInfo: { devEui: '70b3d57ed0001234' },
    data: 'Ag==',
    object: { volume_liters: 125 },
  };
  const options = { key, method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  const sent = await callApi(url, '/ingest/readings?format=chirpstack&event=up', {
    ...options,
    body: JSON.stringify(uplink),
  });
  expect(sent.json).toEqual({ accepted: 1, rejected: [] });
  await untilCommitted(ingest.stream);
  const { rows } = await database.owner.query(
    'select tank_no, created_at, fill_percentage from telemetry where tank_no = any ($1) order by tank_no',
    [tankNos],
  );
  expect(rows).toEqual([
    { tank_no: tankNos[0], created_at: at(0), fill_percentage: 50 },
    { tank_no: tankNos[1], created_at: '2025-01-01T00:00:01.594Z', fill_percentage: 25 },
  ]);
  expect(await rejectedOf(database, organizationNo)).toEqual([]);
});

test('the health endpoints respond that the gateway is alive and ready', async ({ ingest }) => {
  const url = ingest.gateway.httpUrl;
  expect(await callApi(url, '/healthz')).toMatchObject({ status: 200, json: { status: 'alive' } });
  expect(await callApi(url, '/readyz')).toMatchObject({ status: 200, json: { status: 'ready' } });
});

test('a response lists the first 100 rejected readings and the number of those that are not listed', async ({
  database,
  ingest,
}) => {
  const { organizationNo, key } = await givenSender(database, ['H100']);
  const readings = Array.from({ length: 130 }, () => 'nonsense');
  const { status, json } = await postReadings(ingest.gateway.httpUrl, key, readings);
  expect([status, json.accepted, json.rejected.length, json.rejected_not_listed]).toEqual([202, 0, 100, 30]);
  // The gateway answers before the stream has stored what it rejected.
  await expect.poll(async () => (await rejectedOf(database, organizationNo)).length).toBe(130);
});

test('a query with more than 32 parameters is refused with a short answer', async ({ database, ingest }) => {
  const { key } = await givenSender(database, ['H32']);
  const query = Array.from({ length: 3_000 }, (_, n) => n.toString(36)).join('&');
  const answer = await postBody(ingest.gateway.httpUrl, key, '{"readings":[]}', `?${query}`);
  expect([answer.status, answer.json.detail]).toEqual([422, 'A request may have at most 32 parameters.']);
});
