import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findProgram } from '../../engines/programs.ts';
import { makeSecret, signatureHeaders } from '../../src/webhooks/signature.ts';
import { givenFolder } from '../support/folder.ts';

const run = promisify(execFile);

/** The only block of this language in the guide for receivers. */
async function readSnippet(language: string): Promise<string> {
  const guide = await readFile(new URL('../../docs/integrators/events.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code);
  expect(blocks.length).toBe(1);
  return blocks[0] ?? '';
}

/** The arguments of `verify` for good and for bad signatures. */
function makeCases(): { good: unknown[][]; bad: unknown[][] } {
  const [old, fresh] = [makeSecret(), makeSecret()];
  const body = '{"type":"tank.low_fill","name":"María ⛽"}';
  const headers = signatureHeaders([fresh, old], 'an-id', Date.now(), body);
  const stale = signatureHeaders([fresh], 'an-id', Date.now() - 600_000, body);
  return {
    good: [
      [fresh, headers, body],
      [old, headers, body],
    ],
    bad: [
      [makeSecret(), headers, body],
      [fresh, headers, `${body} `],
      [fresh, { ...headers, 'webhook-id': 'another' }, body],
      [fresh, stale, body],
      [fresh, { ...headers, 'webhook-signature': 'v1,' }, body],
    ],
  };
}

async function runCases(file: string, program: string, command: string): Promise<unknown> {
  const folder = await givenFolder();
  await writeFile(join(folder, file), program);
  const { good, bad } = makeCases();
  await writeFile(join(folder, 'cases.json'), JSON.stringify([...good, ...bad]));
  const { stdout } = await run(command, [file], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual([...good.map(() => true), ...bad.map(() => false)]);
  return stdout;
}

test('the guide verifies a signature in TypeScript', async () => {
  const program = `${await readSnippet('ts')}
    import { readFileSync } from 'node:fs';
    const cases = JSON.parse(readFileSync('cases.json', 'utf8'));
    console.log(JSON.stringify(cases.map(([secret, headers, body]: [string, Record<string, string>, string]) => verify(secret, headers, body))));`;
  await runCases('verify.ts', program, process.execPath);
});

test('the guide verifies a signature in Python', async () => {
  const program = `${await readSnippet('python')}
import json
cases = json.load(open("cases.json"))
print(json.dumps([verify(secret, headers, body.encode()) for secret, headers, body in cases]))`;
  await runCases('verify.py', program, findProgram('python3'));
});
