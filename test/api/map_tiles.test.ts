import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { givenKey, givenOrganization } from '../support/fleet.ts';
import { givenFolder } from '../support/folder.ts';
import { test, untilTestEnds } from '../support/test.ts';

const MIB = 1_048_576;

test('ranges of the tiles are served to people who are signed in, at most 1 MiB at a time', async ({ database }) => {
  const folder = await givenFolder();
  const file = join(folder, 'map.pmtiles');
  // The pattern has 7 bytes, so ranges that begin at other offsets have other bytes.
  const content = Buffer.alloc(3 * MIB, 'a tile ');
  content.write('PMTiles\x03', 'latin1');
  await writeFile(file, content);
  const api = await untilTestEnds(startApi(database.urls.api, { MAP_PMTILES: file }));
  const { text: key } = await givenKey(database.operator, {
    organizationNo: await givenOrganization(database.operator),
  });
  const get = (range: string | undefined, headers: Record<string, string> = {}) =>
    fetch(`${api.url}/console/map.pmtiles`, {
      headers: { 'x-api-key': key, ...(range === undefined ? {} : { range }), ...headers },
    });

  const first = await get('bytes=7-16383');
  expect([first.status, first.headers.get('content-range'), first.headers.get('content-length')]).toEqual([
    206,
    `bytes 7-16383/${content.length}`,
    '16377',
  ]);
  expect(Buffer.from(await first.arrayBuffer()).equals(content.subarray(7, 16_384))).toBe(true);
  expect(first.headers.get('cache-control')).toBe('private, max-age=86400');
  const last = await get(`bytes=${content.length - 10}-${content.length + 500}`);
  expect(Buffer.from(await last.arrayBuffer()).equals(content.subarray(-10))).toBe(true);
  const whole = await get(`bytes=100-${MIB + 99}`);
  expect((await whole.arrayBuffer()).byteLength).toBe(MIB);

  // The file stays open. If each response left a listener on it, Node would warn of the eleventh.
  const warnings: string[] = [];
  const recordWarning = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', recordWarning);
  onTestFinished(() => void process.off('warning', recordWarning));
  for (let offset = 0; offset < 20; offset++) await (await get(`bytes=${offset}-${offset + 9}`)).arrayBuffer();
  expect(warnings).toEqual([]);

  const etag = first.headers.get('etag') ?? '';
  const again = await get('bytes=7-16383', { 'if-none-match': etag });
  expect([etag !== '', again.status, await again.text()]).toEqual([true, 304, '']);
  const refused = [
    undefined,
    'bytes=0-',
    'bytes=-500',
    `bytes=0-${MIB}`,
    'bytes=9-8',
    `bytes=${content.length}-${content.length}`,
    'bytes=0-1,4-5',
    'lines=0-1',
  ];
  for (const range of refused) {
    const response = await get(range);
    expect([range, response.status, response.headers.get('content-range')]).toEqual([
      range,
      416,
      `bytes */${content.length}`,
    ]);
  }
  const stranger = await fetch(`${api.url}/console/map.pmtiles`, { headers: { range: 'bytes=0-9' } });
  expect(stranger.status).toBe(401);
  expect(await (await fetch(`${api.url}/console/map.json`)).json()).toEqual({
    style_url: null,
    tiles_url: '/console/map.pmtiles',
  });
});

test('the content security policy of the console allows the origin of the map style and no other server', async ({
  database,
  api,
}) => {
  const policyOf = async (url: string) =>
    (await fetch(`${url}/console/`)).headers.get('content-security-policy')?.split('; ') ?? [];
  const own = await policyOf(api.url);
  expect(own).toContain("connect-src 'self'");
  expect(own).toContain("worker-src 'self'");
  expect(own).toContain('trusted-types default worker');
  const styleUrl = 'https://tiles.example.com:8443/styles/streets.json?key=abc';
  const styled = await untilTestEnds(startApi(database.urls.api, { MAP_STYLE_URL: styleUrl }));
  const policy = await policyOf(styled.url);
  expect(policy.filter((rule) => !own.includes(rule))).toEqual(["connect-src 'self' https://tiles.example.com:8443"]);
  expect(await (await fetch(`${styled.url}/console/map.json`)).json()).toEqual({
    style_url: styleUrl,
    tiles_url: null,
  });
  expect((await fetch(`${styled.url}/console/map.pmtiles`)).headers.get('content-type')).toContain('text/html');
});
