import { execFile } from 'node:child_process';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './programs.ts';

export interface Certificate {
  cert: string;
  key: string;
}

/** Writes a self-signed certificate for this machine. It replaces an earlier one as a renewal does. */
export async function writeCertificate(
  folder: string,
  { days = 2, name = 'tankwatch' }: { days?: number; name?: string | undefined } = {},
): Promise<Certificate> {
  const files = { key: join(folder, 'privkey.pem'), cert: join(folder, 'fullchain.pem') };
  const options = `-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=${name} -days ${days}`.split(' ');
  const names = 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:*.example.com';
  const out = ['-keyout', `${files.key}.new`, '-out', `${files.cert}.new`];
  await promisify(execFile)(findProgram('openssl'), ['req', '-x509', ...options, '-addext', names, ...out]);
  for (const file of [files.key, files.cert]) await rename(`${file}.new`, file);
  return files;
}
