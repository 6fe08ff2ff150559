import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopProcess } from '../../src/setup/servers/server_process.ts';
import { runProgram } from '../support/client.ts';
import { openGuide } from '../support/guide.ts';
import { isWhole } from '../support/whole_tests.ts';

const whole = test.runIf(isWhole('docs/integrators'));

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface RunningDemo extends AsyncDisposable {
  base_url: string;
  api_key: string;
}

let demo: RunningDemo;
beforeAll(async () => {
  if (isWhole('docs/integrators')) demo = await startDemo();
});
afterAll(() => demo?.[Symbol.asyncDispose]());

/** Starts the demo as a script does, with its output as JSON. */
async function startDemo(): Promise<RunningDemo> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [join(ROOT, 'demo/main.ts'), '--json'], { stdio: [...stdio] });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('exit', (code) => reject(new Error(`the demo ended with ${code}`)));
  });
  return { ...JSON.parse(line), [Symbol.asyncDispose]: () => stopProcess(child, 'SIGTERM') };
}

/** Replaces ids, times and numbers, which differ from run to run. The words around them must not differ. */
const mask = (text: string): string =>
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
    const [expected = '', ...rest] = mask(snippet.output).split(/ \.\.\.$/);
    const printed = mask(stdout);
    expect(rest.length === 0 ? printed : printed.slice(0, expected.length)).toBe(expected);
  }
  const languages = Object.groupBy(guide.snippets, ({ language }) => language);
  expect(Object.values(languages).map((snippets) => snippets.length > 3)).toEqual([true, true, true]);
});

test('the TypeScript of the guide compiles in strict mode', async () => {
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
