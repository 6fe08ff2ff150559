import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createConnection, isIP, type Socket } from 'node:net';
import { connect } from 'node:tls';
import type { DoctorConfig } from '../settings/command_settings.ts';
import { reasonOf } from '../values/error_reason.ts';
import { DAY_MS } from '../values/time.ts';
import { type CheckFinding, finding, type NotChecked, notConfigured, warning } from './finding.ts';

const TIMEOUT_MS = 5_000;
/** Certificates of Let's Encrypt are renewed 30 days before they end. With 14 days left, the renewal has failed often. */
const SOON_MS = 14 * DAY_MS;

/** Checks the certificate of the gateway's MQTT port, and those that the addresses with TLS present. */
export async function checkCertificates(config: DoctorConfig): Promise<CheckFinding[] | NotChecked> {
  const { certificateFile, keyFile } = config;
  const servers = serversWithTls(config);
  if (certificateFile === '' && servers.length === 0) {
    return notConfigured('GATEWAY_TLS_CERT, or GATEWAY_URL or PUBLIC_URL with https');
  }
  const fileFindings = certificateFile === '' ? [] : checkFiles(certificateFile, keyFile);
  return (await Promise.all([fileFindings, ...servers.map(checkServer)])).flat();
}

/** When each certificate that can be read ends. */
export async function certificateEnds(config: DoctorConfig): Promise<{ name: string; endMs: number }[]> {
  const readFileEnd = async (file: string): Promise<{ name: string; endMs: number }> => ({
    name: file,
    endMs: Date.parse(new X509Certificate(await readFile(file)).validTo),
  });
  const ends = await Promise.allSettled([
    ...(config.certificateFile === '' ? [] : [readFileEnd(config.certificateFile)]),
    ...serversWithTls(config).map(async (server) => ({
      name: `${server.host}:${server.port}`,
      endMs: await certificateEndMs(server),
    })),
  ]);
  const failed = ends.find((end) => end.status === 'rejected');
  const read = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  if (read.length === 0 && failed !== undefined) throw failed.reason;
  return read;
}

interface TlsServer {
  host: string;
  port: number;
  /** True for nats-server, which sends a line before TLS begins. */
  greets: boolean;
}

/**
 * The servers with TLS. A mail server with STARTTLS is not among them: the check of the mail server finds an invalid
 * certificate.
 */
function serversWithTls({ gatewayUrl, publicUrl, smtp, stream }: DoctorConfig): TlsServer[] {
  const urls = [gatewayUrl, publicUrl, smtp?.smtpUrl ?? '', ...(stream?.url.split(',') ?? [])].map((url) => url.trim());
  return Object.entries(DEFAULT_PORTS).flatMap(([protocol, defaultPort]) =>
    urls
      .filter((url) => url.startsWith(`${protocol}//`))
      .map((url) => new URL(url))
      .map(({ hostname: host, port }) => ({ host, port: Number(port || defaultPort), greets: protocol === 'tls:' })),
  );
}

const DEFAULT_PORTS = { 'https:': 443, 'smtps:': 465, 'tls:': 4222 } as const;

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

async function checkServer(server: TlsServer): Promise<CheckFinding[]> {
  const name = `${server.host}:${server.port}`;
  try {
    return endFindings(name, await certificateEndMs(server), Date.now());
  } catch (error) {
    return [
      finding(
        `the certificate of ${name} cannot be read: ${reasonOf(error)}`,
        'check that the server with TLS is running',
      ),
    ];
  }
}

function certificateEndMs({ host, port, greets }: TlsServer): Promise<number> {
  return new Promise((resolve, reject) => {
    const plain = createConnection({ host, port, timeout: TIMEOUT_MS });
    plain.once('timeout', () => plain.destroy(new Error(`no answer after ${TIMEOUT_MS / 1_000} s`)));
    plain.once('error', reject);
    // Before TLS begins, a server can close the connection without an error, for example a proxy without a backend.
    plain.once('end', () => reject(new Error('the server closed the connection')));
    const readEnd = (socket: Socket): void => {
      // An expired certificate is read too, because its end is what is checked.
      const secure = connect({ socket, servername: isIP(host) ? '' : host, rejectUnauthorized: false }, () => {
        resolve(Date.parse(secure.getPeerCertificate().valid_to));
        secure.destroy();
      });
      secure.once('error', reject);
    };
    plain.once(greets ? 'data' : 'connect', () => readEnd(plain));
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
