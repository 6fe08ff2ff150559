import { readFile, symlink, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect } from 'vitest';
import { readDocument, typesOf } from '../../packages/client/generate_types.ts';
import { ReadingStore } from '../../src/telemetry/store.ts';
import {
  type ClientProject,
  codeBlocks,
  installClient,
  NODES,
  type NodeMajor,
  nodeBinary,
  runModule,
  runProgram,
} from '../support/client.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { test } from '../support/test.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAX_BYTES = 6_000;

let project: ClientProject;
beforeAll(async () => {
  project = await installClient();
});

const installed = (path: string): Promise<string> =>
  readFile(join(project.folder, 'node_modules/@tankwatch/client', path), 'utf8');

const contents = async (): Promise<string[]> =>
  (await runProgram('tar', ['tzf', project.tarball])).stdout.trim().split('\n').toSorted();

describe('the types', () => {
  test('are what openapi.json says (else: npm run openapi)', async () => {
    const committed = await readFile(join(ROOT, 'packages/client/src/types.ts'), 'utf8');
    expect(committed).toBe(typesOf(await readDocument()));
  });

  test('are of a document whose every operation the client has', async () => {
    const { paths } = await readDocument();
    const { Tankwatch } = project.client;
    const { customers, tanks } = new Tankwatch({ apiKey: 'k', baseUrl: 'http://localhost' });
    const METHODS = {
      '/v1/customers': customers.list,
      '/v1/customers/{id}': customers.retrieve,
      '/v1/tanks': tanks.list,
      '/v1/tanks/{id}': tanks.retrieve,
      '/v1/tanks/{id}/telemetry': tanks.telemetry.list,
    };
    expect(Object.keys(METHODS)).toEqual(Object.keys(paths));
    for (const method of Object.values(METHODS)) expect(method).toBeTypeOf('function');
  });

  test('refuse to be written from a schema nobody thought of', async () => {
    const document = await readDocument();
    document.components.schemas['Novelty'] = { type: 'object', properties: { what: { type: 'tuple' } } };
    expect(() => typesOf(document)).toThrow('tuple');
  });
});

describe('the packed tarball', () => {
  test('holds the build, its types, a README and the license, and nothing else', async () => {
    const modules = ['client', 'errors', 'listing', 'transport', 'types', 'webhook'];
    const build = modules.flatMap((name) => [`package/dist/${name}.d.ts`, `package/dist/${name}.js`]);
    expect(await contents()).toEqual(['package/LICENSE', 'package/README.md', ...build, 'package/package.json']);
  });

  test(`is at most ${MAX_BYTES} bytes gzipped, comments included`, async () => {
    const scripts = (await contents()).filter((file) => file.endsWith('.js'));
    const code = await Promise.all(scripts.map((file) => installed(file.replace('package/', ''))));
    const bytes = gzipSync(code.join(''), { level: 9 }).length;
    console.log(`@tankwatch/client: ${bytes} bytes gzipped`);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  });

  test('depends on nothing, neither a package nor Node', async () => {
    const manifest = JSON.parse(await installed('package.json'));
    expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
    for (const file of (await contents()).filter((name) => name.endsWith('.js'))) {
      const code = await installed(file.replace('package/', ''));
      for (const [, target] of code.matchAll(/from '([^']+)'/g)) expect(target).toMatch(/^\.\/\w+\.js$/);
      expect(code).not.toMatch(/\b(process|Buffer|require|__dirname)\b/);
    }
  });
});

/** The examples of the README, one after another, and then its receiver is sent one good message and one forged. */
async function readmeProgram(): Promise<string> {
  const examples = codeBlocks(await installed('README.md')).filter(({ language }) => language === 'ts');
  return `${examples.map(({ code }) => code).join('\n')}
for (const name of ['GOOD_MESSAGE', 'FORGED_MESSAGE']) {
  const { body, headers } = JSON.parse(process.env[name] ?? '');
  const answer = await receive(new Request('http://localhost', { method: 'POST', body, headers }));
  console.log(answer.status, await answer.text());
}
export {};`;
}

/** What the types must not allow: each line fails to compile if the one below it compiles. */
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
  test('are right for a strict compiler that reads the installed types', async () => {
    const file = join(project.folder, 'readme.ts');
    await writeFile(file, `${await readmeProgram()}\n${TYPE_ERRORS}`);
    const types = join(project.folder, 'node_modules/@types');
    await symlink(join(ROOT, 'node_modules/@types'), types).catch(() => {}); // there from an earlier run
    const options = '--strict --exactOptionalPropertyTypes --noEmit --target es2022 --module nodenext --types node';
    const { stdout, code } = await runProgram(join(ROOT, 'node_modules/.bin/tsc'), [...options.split(' '), file], {
      cwd: project.folder,
    });
    expect([stdout, code]).toEqual(['', 0]);
  });

  test.for(Object.keys(NODES))('run on Node %s', async (major, { database, api }) => {
    const organizationNo = await givenOrganization(database.operator);
    const owner = await givenCustomer(database.operator, organizationNo, { email: 'maria.lopez@example.com' });
    const tanks = await givenTanks(database.operator, organizationNo, owner.no, [
      { name: 'Old', city: 'Puebla', created_at: '2025-01-01T00:00:00.000Z' },
      { name: 'New', city: null, capacity: 300 },
    ]);
    const tankNo = tanks[0]?.no ?? 0;
    await new ReadingStore(database.writer).store([
      { tankNo, createdAt: '2025-02-01T00:00:00.000Z', fillPercentage: 41.5 },
    ]);
    const env = {
      TANKWATCH_URL: api.url,
      TANKWATCH_KEY: (await givenKey(database.operator, { organizationNo })).text,
      WEBHOOK_SECRET: SECRET,
      GOOD_MESSAGE: message(SECRET),
      FORGED_MESSAGE: message('whsec_c29tZWJvZHkgZWxzZQ=='),
    };
    const node = await nodeBinary(Number(major) as NodeMajor);
    const code = stripTypeScriptTypes(await readmeProgram());
    const { stdout, stderr } = await runModule(node, code, project.folder, env);
    expect(stderr).toBe('');
    expect(stdout.replace(/(not_found) \w+/, '$1 <request id>').split('\n')).toEqual([
      'New null never reported',
      'Old Puebla 41.5',
      '1 on this page of 1',
      'new: New',
      '300 liters',
      '404 not_found <request id>',
      '2',
      'tank.low_fill of message msg_1',
      '200 ',
      '400 no signature fits',
      '',
    ]);
  });
});

const SECRET = 'whsec_c29tZSBzZWNyZXQgb2YgdGhlIHRlc3Rz';

/** Signed by the reference implementation of Standard Webhooks. */
function message(secret: string): string {
  const body = JSON.stringify({ type: 'tank.low_fill', timestamp: new Date().toISOString(), data: {} });
  const at = new Date();
  const signature = new Webhook(secret).sign('msg_1', at, body);
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  return JSON.stringify({
    body,
    headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature },
  });
}
