import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Certificate, writeCertificate } from '../../engines/certificate.ts';

/** A certificate for this machine, in a folder that is deleted after the test. */
export async function givenCertificate(name?: string): Promise<Certificate & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-tls-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { folder, ...(await writeCertificate(folder, { name })) };
}
