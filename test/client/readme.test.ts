import { readFileSync } from 'node:fs';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect } from 'vitest';
import { launchBrowser } from '../../engines/browser.ts';
import { serveApi } from '../../src/api/serve.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { readApiConfig } from '../../src/settings/api_settings.ts';
import { codeBlocks, installClient, installProgram, nodeBinary, runProgram } from '../support/client.ts';
import { givenCustomer, givenCustomers, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The command that runs a file, by runtime. */
const RUNTIMES: Record<string, () => Promise<[string, ...string[]]>> = {
  'Node 20': async () => [await nodeBinary(20)],
  'Node 22': async () => [await nodeBinary(22)],
  'Node 24': async () => [await nodeBinary(24)],
  Deno: async () => [await installProgram('deno', '2.9.6'), 'run', '--allow-all', '--node-modules-dir=manual'],
  Bun: async () => [await installProgram('bun', '1.4.4')],
};

let folder: string;
/** The examples of the README as one program, followed by a valid and a forged message to its webhook receiver. */
let program: string;
beforeAll(async () => {
  ({ folder } = await installClient());
  const readme = await readFile(join(folder, 'node_modules/@tankwatch/client/README.md'), 'utf8');
  const examples = codeBlocks(readme).filter(({ language }) => language === 'ts');
  program = `${examples.map(({ code }) => code).join('\n')}
for (const name of ['GOOD_MESSAGE', 'FORGED_MESSAGE']) {
  const { body, headers } = JSON.parse(process.env[name] ?? '');
  const answer = await receive(new Request('http://localhost', { method: 'POST', body, headers }));
  console.log(answer.status, await answer.text());
}
export {};`;
  await writeFile(join(folder, 'readme.mjs'), stripTypeScriptTypes(program));
});

/** Code that the types must reject. A @ts-expect-error line without an error does not compile. */
const TYPE_ERRORS = `
const customer = await client.customers.retrieve('id');
// @ts-expect-error -- may be deleted, and then has no name
customer.name;
if (customer.deleted) customer satisfies { id: string; object: 'customer'; deleted: true };
else customer satisfies { name: string; phone: string | null };
// @ts-expect-error -- mistyped
client.customers.list({ emial: 'someone@example.com' });
// @ts-expect-error -- only customers have an address
client.tanks.list({ email: 'someone@example.com' });
// @ts-expect-error -- the key is missing
new Tankwatch({ baseUrl: TANKWATCH_URL });
client.tanks.list({ created_at_gte: undefined, created_at_lte: new Date(), size: 5 }, { signal: undefined });`;

describe('the examples of the README', () => {
  test('compile in strict mode with the installed types', async () => {
    await writeFile(join(folder, 'readme.ts'), `${program}\n${TYPE_ERRORS}`);
    const types = join(folder, 'node_modules/@types');
    await rm(types, { force: true }); // from an earlier run, perhaps of another copy of this repository
    await symlink(join(ROOT, 'node_modules/@types'), types);
    const options = '--strict --exactOptionalPropertyTypes --noEmit --target es2022 --module nodenext --types node';
    const { stdout, code } = await runProgram(
      join(ROOT, 'node_modules/.bin/tsc'),
      [...options.split(' '), 'readme.ts'],
      { cwd: folder },
    );
    expect([stdout, code]).toEqual(['', 0]);
  });

  test.for(Object.keys(RUNTIMES))('run on %s', async (runtime, { database, api }) => {
    const [command = '', ...args] = (await RUNTIMES[runtime]?.()) ?? [];
    const env = {
      TANKWATCH_URL: api.url,
      TANKWATCH_KEY: await givenTwoTanks(database),
      WEBHOOK_SECRET: SECRET,
      GOOD_MESSAGE: message(SECRET),
      FORGED_MESSAGE: message('whsec_c29tZWJvZHkgZWxzZQ=='),
      NO_COLOR: '1',
    };
    const { stdout, stderr } = await runProgram(command, [...args, 'readme.mjs'], { cwd: folder, env });
    expect(stderr).toBe('');
    expect(stdout.replace(/(not_found) \w+/, '$1 <request id>').split('\n')).toEqual([
      'New null never reported',
      'Old Puebla 41.5',
      '1 on this page of 1',
      'new: New',
      'Old 41.5',
      'New unknown',
      '300 liters',
      '404 not_found <request id>',
      '2',
      'tank.low_fill of message msg_1',
      '200 ',
      '400 no valid signature',
      '',
    ]);
  });
});

async function givenTwoTanks({ operator, writer }: TestDatabase): Promise<string> {
  const organizationNo = await givenOrganization(operator);
  const owner = await givenCustomer(operator, organizationNo, { email: 'maria.lopez@example.com' });
  const [old] = await givenTanks(operator, organizationNo, owner.no, [
    { name: 'Old', city: 'Puebla', created_at: '2025-01-01T00:00:00.000Z' },
    { name: 'New', city: null, capacity: 300 },
  ]);
  const reading = { tankNo: old?.no ?? 0, atMs: Date.UTC(2025, 1), fillPercentage: 41.5 };
  await new BatchIngester(writer).ingestReadings([reading]);
  return (await givenKey(operator, { organizationNo })).text;
}

const SECRET = 'whsec_c29tZSBzZWNyZXQgb2YgdGhlIHRlc3Rz';

/** Signed by the reference implementation of Standard Webhooks. */
function message(secret: string): string {
  const at = new Date();
  const body = JSON.stringify({ type: 'tank.low_fill', timestamp: at.toISOString(), data: {} });
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  };
  return JSON.stringify({ body, headers });
}

describe('in a real browser, on a page of another origin', () => {
  test('the client iterates over a list and throws typed errors', async ({ database }) => {
    const organizationNo = await givenOrganization(database.operator);
    await givenCustomers(
      database.operator,
      organizationNo,
      Array.from({ length: 250 }, () => ({})),
    );
    const { text: apiKey } = await givenKey(database.operator, { organizationNo });
    const dist = join(folder, 'node_modules/@tankwatch/client/dist');
    const site = createServer((request, response) => {
      const isScript = /^\/\w+\.js$/.test(request.url ?? '');
      const type = isScript ? 'text/javascript' : 'text/html';
      response.setHeader('content-type', type).end(isScript ? readFileSync(join(dist, request.url ?? '')) : '');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const settings = { API_HOST: '127.0.0.1', API_PORT: '0', API_DRAIN_MS: '0', CORS_ORIGINS: origin };
    const config = readApiConfig({ API_DATABASE_URL: database.urls.api, ...settings });
    const api = await serveApi(config, pino({ level: 'silent' }));
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(origin);
      const seen = await page.evaluate(`(async () => {
        const { NotFoundError, Tankwatch } = await import('/client.js');
        const client = new Tankwatch(${JSON.stringify({ apiKey, baseUrl: api.url })});
        const ids = new Set();
        for await (const { id } of client.customers.list({ size: 100 })) ids.add(id);
        const error = await client.tanks.retrieve('none').catch((reason) => reason);
        return [ids.size, error instanceof NotFoundError, error.code];
      })()`);
      expect(seen).toEqual([250, true, 'not_found']);
    } finally {
      await browser.close();
      await api.close();
      site.close();
    }
  });
});
