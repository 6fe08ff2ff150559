import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:tls';
import type { DoctorConfig } from '../config.ts';
import { DAY_MS } from '../values/time.ts';
import { reasonOf } from './error_reason.ts';
import { type CheckFinding, finding, type NotChecked, notConfigured, warning } from './finding.ts';

const TIMEOUT_MS = 5_000;
/** Certificates of Let's Encrypt are renewed 30 days before they end. With 14 days left, the renewal has failed often. */
const SOON_MS = 14 * DAY_MS;

/** The certificate of the gateway's MQTT port, and those that the public addresses present. */
export async function checkCertificates(config: DoctorConfig): Promise<CheckFinding[] | NotChecked> {
  const { certificateFile, keyFile, gatewayUrl, publicUrl } = config;
  const addresses = [gatewayUrl, publicUrl].filter((url) => url.startsWith('https:'));
  if (certificateFile === '' && addresses.length === 0) {
    return notConfigured('GATEWAY_TLS_CERT, or GATEWAY_URL or PUBLIC_URL with https');
  }
  const ofFile = certificateFile === '' ? [] : checkFiles(certificateFile, keyFile);
  return (await Promise.all([ofFile, ...addresses.map(checkAddress)])).flat();
}

async function checkFiles(certificateFile: string, keyFile: string): Promise<CheckFinding[]> {
  try {
    const certificate = new X509Certificate(await readFile(certificateFile));
    const ending = endFindings(certificateFile, Date.parse(certificate.validTo), Date.now());
    if (keyFile === '' || certificate.checkPrivateKey(createPrivateKey(await readFile(keyFile)))) return ending;
    return [
      ...ending,
      finding(
        `${keyFile} is not the key of the certificate in ${certificateFile}`,
        'write both files of the same renewal; until then the gateway keeps the old ones, and cannot restart',
      ),
    ];
  } catch (error) {
    return [
      finding(
        `the certificate of the gateway cannot be read: ${reasonOf(error)}`,
        'check GATEWAY_TLS_CERT and GATEWAY_TLS_KEY: both must be PEM files that this user can read',
      ),
    ];
  }
}

async function checkAddress(url: string): Promise<CheckFinding[]> {
  try {
    return endFindings(url, await certificateEndMs(new URL(url)), Date.now());
  } catch (error) {
    return [
      finding(
        `the certificate of ${url} cannot be read: ${reasonOf(error)}`,
        'check that the proxy with TLS is running',
      ),
    ];
  }
}

function certificateEndMs({ hostname, port }: URL): Promise<number> {
  return new Promise((resolve, reject) => {
    // An expired certificate is read too, because its end is what is checked.
    const options = { host: hostname, port: Number(port || 443), servername: hostname, rejectUnauthorized: false };
    const socket = connect({ ...options, timeout: TIMEOUT_MS }, () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error(`no answer after ${TIMEOUT_MS / 1_000} s`)));
    socket.once('error', reject);
  });
}

export function endFindings(name: string, endMs: number, nowMs: number): CheckFinding[] {
  if (endMs - nowMs > SOON_MS) return [];
  const end = new Date(endMs).toISOString();
  const remedy = 'renew the certificate, and check the program that renews it automatically';
  return endMs <= nowMs
    ? [finding(`the certificate of ${name} ended at ${end}`, remedy)]
    : [warning(`the certificate of ${name} ends at ${end}`, remedy)];
}
