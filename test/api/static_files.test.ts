import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { expect, onTestFinished } from 'vitest';
import { RoleProcess } from '../../engines/process.ts';
import { MB, memoryBytes } from '../../engines/process_use.ts';
import { registerConsole } from '../../src/api/pages/console.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { givenFolder } from '../support/folder.ts';
import { callApi } from '../support/http.ts';
import { test } from '../support/test.ts';

const SCRIPT = '/docs/js/scalar.js';

test('240 clients that do not read the script of the reference cost an api with a small heap less than 32 MB', async ({
  database,
}) => {
  const port = await freePort();
  const api = new RoleProcess('api', {
    API_DATABASE_URL: database.urls.api,
    API_HOST: '127.0.0.1',
    API_PORT: String(port),
    API_DRAIN_MS: '0',
    NODE_OPTIONS: '--max-old-space-size=96',
  });
  await api.start();
  onTestFinished(() => api.kill());
  const url = `http://127.0.0.1:${port}`;
  for (const encoding of ['br', 'gzip', 'identity'])
    expect((await fetch(url + SCRIPT, { headers: { 'accept-encoding': encoding } })).status).toBe(200);
  const before = await memoryBytes(api.pid ?? 0);
  const answered = new Set<Socket>();
  const clients = Array.from({ length: 240 }, () => {
    const client = connect(port, '127.0.0.1');
    client.write(`GET ${SCRIPT} HTTP/1.1\r\nHost: api\r\n\r\n`);
    return client.once('readable', () => answered.add(client)).on('error', () => {});
  });
  await expect.poll(() => answered.size).toBe(240);
  await sleep(1_000); // the api fills the buffers of the kernel in less time
  expect((await callApi(url, '/healthz')).status).toBe(200);
  expect(((await memoryBytes(api.pid ?? 0)) - before) / MB).toBeLessThan(32);
  expect(clients.filter(({ closed }) => closed)).toEqual([]);
  for (const client of clients) client.destroy();
});

test('static content is compressed, has an ETag and a lifetime, and is not sent again to a client that has it', async ({
  api,
}) => {
  for (const [path, cacheControl] of [
    [SCRIPT, 'public, max-age=3600'],
    ['/docs/console/', 'no-cache'],
    ['/docs/console/openapi.json', 'no-cache'],
    ['/openapi.json', 'no-cache'],
  ] as const) {
    const plain = await (await fetch(api.url + path, { headers: { 'accept-encoding': 'br;q=0' } })).text();
    const tags = new Set<string | null>();
    for (const encoding of ['br', 'gzip']) {
      const headers = { 'accept-encoding': `deflate, ${encoding};q=0.9` };
      const response = await fetch(api.url + path, { headers });
      expect([path, response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
        path,
        encoding,
        'Accept-Encoding',
      ]);
      expect(response.headers.get('cache-control')).toBe(cacheControl);
      expect((await response.text()) === plain).toBe(true);
      const etag = response.headers.get('etag');
      tags.add(etag);
      const again = await fetch(api.url + path, { headers: { ...headers, 'if-none-match': etag ?? '' } });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
    expect(tags.size).toBe(2);
    const head = await fetch(api.url + path, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(plain)));
  }
});

test('the console is served from memory, with files compressed before and its page for all paths except files', async () => {
  const folder = await givenFolder();
  await mkdir(join(folder, 'assets'));
  const script = 'x'.repeat(2_000);
  for (const [name, content] of [
    ['index.html', '<title>Console</title>'],
    ['icon.svg', '<svg/>'],
    ['assets/main-abc.js', script],
    ['assets/main-abc.js.br', 'compressed before'],
    ['assets/main-abc.js.gz', 'compressed before'],
  ] as const)
    await writeFile(join(folder, name), content);
  const app = Fastify();
  expect(await registerConsole(app, { folder, authenticate: () => Promise.resolve() })).toBe(true);
  await rm(join(folder, 'assets'), { recursive: true });

  const get = (path: string, encoding = 'identity') =>
    app.inject({ url: path, headers: { 'accept-encoding': encoding } });
  const asset = await get('/console/assets/main-abc.js');
  expect([asset.body, asset.headers['cache-control']]).toEqual([script, 'public, max-age=31536000, immutable']);
  expect((await get('/console/assets/main-abc.js', 'gzip, br')).body).toBe('compressed before');
  expect((await get('/console/icon.svg')).headers['content-type']).toBe('image/svg+xml');
  for (const path of ['/console', '/console/', '/console/tanks/1']) {
    const page = await get(path);
    expect([page.body, page.headers['cache-control']]).toEqual(['<title>Console</title>', 'no-store']);
  }
  for (const path of ['/console/assets/missing.js', '/console/assets/main-abc.js.br'])
    expect((await get(path)).statusCode).not.toBe(200);
});
