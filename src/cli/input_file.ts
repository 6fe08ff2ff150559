import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { ByteSource } from '../values/byte_source.ts';
import { errorCode } from '../values/error_code.ts';
import { UserError } from '../values/user_error.ts';

/** A file that can be read, or standard input for `-`. A file that cannot be read is a user error. */
export async function inputFile(path: string): Promise<ByteSource> {
  if (path === '-') return { name: 'standard input', isRepeatable: false, chunks: () => process.stdin };
  const handle = await open(path).catch((error: unknown) => {
    throw fileError(error, path);
  });
  const stat = await handle.stat();
  await handle.close();
  if (stat.isDirectory())
    throw new UserError(`cannot read ${path}: it is a folder, not a file; give one of its files.`);
  // A named pipe has a path and can still be read only once.
  return { name: path, isRepeatable: stat.isFile(), chunks: () => createReadStream(path) };
}

/** The whole content of a file, or of standard input for `-`. */
export const readInput = async (path: string): Promise<Buffer> => buffer((await inputFile(path)).chunks());

/** The secret in a file, or in standard input for `-`, without the line end. */
export async function readSecretInput(path: string): Promise<string> {
  const secret = (await readInput(path)).toString('utf8').trim();
  if (secret === '') throw new UserError(`${path} is empty; write the secret into it.`);
  return secret;
}

export async function readJsonInput(path: string): Promise<unknown> {
  try {
    return JSON.parse((await readInput(path)).toString('utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UserError(`${path} is not valid JSON: ${error.message}.`);
  }
}

/** A sentence for the usual errors of files. Other errors are returned as they are. */
export function fileError(error: unknown, path: string, verb: 'read' | 'write' = 'read'): unknown {
  const code = errorCode(error) ?? '';
  if (code === 'ENOENT' && verb === 'read')
    return new UserError(
      `cannot read ${path}: there is no such file; check the name and the folder (${process.cwd()}).`,
    );
  if (code === 'ENOENT') return new UserError(`cannot write ${path}: its folder does not exist.`);
  if (code === 'EISDIR') return new UserError(`cannot ${verb} ${path}: it is a folder, not a file.`);
  if (code === 'EEXIST') return new UserError(`${path} exists already; choose another name.`);
  if (!/^E[A-Z]+$/.test(code)) return error;
  return new UserError(`cannot ${verb} ${path} (${code}); check the name and the permissions.`);
}
