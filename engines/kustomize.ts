import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { unpackOnce } from '../src/setup/servers/nats.ts';

const CACHE = fileURLToPath(new URL('../node_modules/.cache', import.meta.url));
const PROGRAM = join(CACHE, 'kustomize/usr/bin/kustomize');

/** Returns the objects that kustomize makes from a folder, as `kubectl kustomize` does. Unpacks kustomize if it is missing. */
export async function renderKustomization(folder: string): Promise<unknown[]> {
  if (!existsSync(PROGRAM)) await unpackOnce('kustomize.sh', CACHE, 'kustomize');
  const { stdout } = await promisify(execFile)(PROGRAM, ['build', folder]);
  return parseAllDocuments(stdout).map((document): unknown => document.toJS());
}
