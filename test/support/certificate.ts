import { type Certificate, writeCertificate } from '../../engines/certificate.ts';
import { givenFolder } from './folder.ts';

/** A certificate for this machine, in a folder that is deleted after the test. */
export async function givenCertificate(name?: string): Promise<Certificate & { folder: string }> {
  const folder = await givenFolder();
  return { folder, ...(await writeCertificate(folder, { name })) };
}
