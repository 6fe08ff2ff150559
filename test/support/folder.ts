import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder in the temporary folder of the system. It is deleted after the test. */
export async function givenFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
