import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tankwatch } from '../../packages/client/src/client.ts';
import { stopProcess } from '../../src/setup/servers/postgres.ts';
import { installClient, runProgram } from '../support/client.ts';
import { copiedReadings, openGuide } from '../support/guide.ts';
import { isWhole } from '../support/whole_tests.ts';

const whole = test.runIf(isWhole('docs/integrators'));

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface RunningDemo extends AsyncDisposable {
  base_url: string;
  api_key: string;
  /** Of an organization whose fleet reports while we look. */
  live_api_key: string;
  ingest_url: string;
  ingest_key: string;
  device_id: string;
}

let demo: RunningDemo;
beforeAll(async () => {
  if (isWhole('docs/integrators')) demo = await startDemo();
});
afterAll(() => demo?.[Symbol.asyncDispose]());

/** `npm run demo`, as a script uses it. */
async function startDemo(): Promise<RunningDemo> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [join(ROOT, 'demo/main.ts'), '--json'], { stdio: [...stdio] });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('exit', (code) => reject(new Error(`the demo ended with ${code}`)));
  });
  return { ...JSON.parse(line), [Symbol.asyncDispose]: () => stopProcess(child, 'SIGTERM') };
}

/** Ids, times and numbers differ from run to run; the words around them must not. */
const masked = (text: string): string =>
  text
    .trim()
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\b\d+\b/g, '<n>');

whole('each program of the guide runs against the demo and prints what the guide says', async () => {
  await using guide = await openGuide();
  const env = { TANKWATCH_URL: demo.base_url, TANKWATCH_KEY: demo.api_key };
  for (const snippet of guide.snippets) {
    const { code, stdout, stderr } = await guide.run(snippet, env);
    expect([snippet.code, code, stderr]).toEqual([snippet.code, 0, '']);
    const [told = '', ...cut] = masked(snippet.output).split(/ \.\.\.$/);
    const printed = masked(stdout);
    expect(cut.length === 0 ? printed : printed.slice(0, told.length)).toBe(told);
  }
  const languages = Object.groupBy(guide.snippets, ({ language }) => language);
  expect(Object.values(languages).map((snippets) => snippets.length > 3)).toEqual([true, true, true]);
});

test('its TypeScript is right for a strict compiler', async () => {
  await using guide = await openGuide();
  const files = guide.snippets.filter(({ language }) => language === 'ts').map(({ file }) => file);
  const options = '--strict --noEmit --target es2024 --lib esnext --module nodenext --skipLibCheck --types node';
  const { stdout, code } = await runProgram(
    join(ROOT, 'node_modules/.bin/tsc'),
    [...options.split(' '), '--typeRoots', join(ROOT, 'node_modules/@types'), ...files],
    { cwd: guide.folder },
  );
  expect([stdout, code]).toEqual(['', 0]);
});

whole(
  'its copying program, run twice on a fleet that is reporting, ends equal to the service up to its start',
  async () => {
    await using guide = await openGuide();
    const sync = guide.snippets.find(({ file }) => file === 'sync.ts');
    if (sync === undefined) throw new Error('the guide has no sync.ts');
    const { client } = await installClient();
    const tankwatch = new client.Tankwatch({ baseUrl: demo.base_url, apiKey: demo.live_api_key });
    const env = {
      TANKWATCH_URL: demo.base_url,
      TANKWATCH_KEY: demo.live_api_key,
      MIRROR: join(guide.folder, 'live.db'),
    };
    const sizes: number[] = [];
    for (const run of [1, 2]) {
      const before = await movingReadings(tankwatch);
      const { code, stderr } = await guide.run(sync, env);
      expect([run, code, stderr]).toEqual([run, 0, '']);
      const after = await movingReadings(tankwatch);
      const copied = copiedReadings(env.MIRROR);
      expect([run, before.difference(copied)]).toEqual([run, new Set()]);
      const copiedMoving = new Set([...copied].filter((line) => (line.split(' ')[1] ?? '') >= MOVING_SINCE));
      expect([run, copiedMoving.difference(after)]).toEqual([run, new Set()]);
      sizes.push(before.size, after.size);
      await sendReading();
    }
    expect(sizes[0]).toBeGreaterThan(100);
    expect(sizes[3]).toBeGreaterThan(sizes[0] ?? 0);
  },
);

/** The live fleet may send nothing for some seconds, so the test sends a reading too. */
async function sendReading(): Promise<void> {
  const { status } = await fetch(demo.ingest_url, {
    method: 'POST',
    headers: { 'X-API-Key': demo.ingest_key },
    body: JSON.stringify({ readings: [{ device_id: demo.device_id, fill_percentage: 45.5 }] }),
  });
  expect(status).toBe(202);
}

/** The live fleet reports from two hours ago on, and late by some days. Older readings do not change. */
const MOVING_SINCE = new Date(Date.now() - 10 * 86_400_000).toISOString();

async function movingReadings(tankwatch: Tankwatch): Promise<Set<string>> {
  const lines = new Set<string>();
  for await (const { id } of tankwatch.tanks.list()) {
    const readings = tankwatch.tanks.telemetry.list(id, { created_at_gte: MOVING_SINCE });
    for await (const { created_at, fill_percentage } of readings) lines.add(`${id} ${created_at} ${fill_percentage}`);
  }
  return lines;
}
