import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { findProgram } from '../../engines/programs.ts';
import { givenSender, ingestEnvironment, startGateway, test } from '../support/ingest.ts';
import { connectDevice, publish, topicOf } from '../support/mqtt.ts';

/** Writes a certificate with this name and its key, as a renewal does: into new files that replace the old ones. */
async function renew(folder: string, name: string): Promise<void> {
  const [cert, key] = [join(folder, 'new-cert.pem'), join(folder, 'new-key.pem')];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key];
  await promisify(execFile)(findProgram('openssl'), [
    'req',
    '-x509',
    ...newKey,
    '-out',
    cert,
    '-days',
    '1',
    ...subject,
  ]);
  await rename(cert, join(folder, 'cert.pem'));
  await rename(key, join(folder, 'key.pem'));
}

/** The name of the certificate that a new TLS connection gets. */
function presentedName(port: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      const { subject }: PeerCertificate = socket.getPeerCertificate();
      socket.destroy();
      resolve(subject.CN);
    });
    socket.once('error', reject);
  });
}

test('a renewed certificate is used for new connections, open connections stay, and unusable files change nothing', async ({
  database,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-tls-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await renew(folder, 'first');
  const gateway = await startGateway(
    ingestEnvironment(database, {
      GATEWAY_TLS_CERT: join(folder, 'cert.pem'),
      GATEWAY_TLS_KEY: join(folder, 'key.pem'),
    }),
  );
  onTestFinished(() => gateway.close());
  const { organizationCode } = await givenSender(database, ['A']);
  const device = { organizationCode, deviceId: 'A' };
  const ca = await readFile(join(folder, 'cert.pem'));
  const open = await connectDevice(gateway.mqttPort, { ...device, protocol: 'mqtts', ca });
  onTestFinished(() => void open.end(true));
  expect(await presentedName(gateway.mqttPort)).toBe('first');

  await writeFile(join(folder, 'cert.pem'), 'half of a file');
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  expect(await presentedName(gateway.mqttPort)).toBe('first');

  await renew(folder, 'second');
  await expect.poll(() => presentedName(gateway.mqttPort), { interval: 500 }).toBe('second');
  expect(await publish(open, topicOf(device), '{"fill_percentage": 50}')).toBe('acknowledged');
});
