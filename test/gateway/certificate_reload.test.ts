import { readFile, writeFile } from 'node:fs/promises';
import { connect, type PeerCertificate } from 'node:tls';
import { expect, onTestFinished } from 'vitest';
import { writeCertificate } from '../../engines/certificate.ts';
import { givenCertificate } from '../support/certificate.ts';
import { givenSender, ingestEnvironment, startGateway, test } from '../support/ingest.ts';
import { connectDevice, publish, topicOf } from '../support/mqtt.ts';

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

test('a renewed certificate is used for new connections, open ones stay, and unusable files change nothing', async ({
  database,
}) => {
  const { folder, cert, key } = await givenCertificate('first');
  const gateway = await startGateway(ingestEnvironment(database, { GATEWAY_TLS_CERT: cert, GATEWAY_TLS_KEY: key }));
  onTestFinished(() => gateway.close());
  const { organizationCode } = await givenSender(database, ['A']);
  const device = { organizationCode, deviceId: 'A' };
  const ca = await readFile(cert);
  const open = await connectDevice(gateway.mqttPort, { ...device, protocol: 'mqtts', ca });
  onTestFinished(() => void open.end(true));
  expect(await presentedName(gateway.mqttPort)).toBe('first');

  await writeFile(cert, 'half of a file');
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  expect(await presentedName(gateway.mqttPort)).toBe('first');

  await writeCertificate(folder, { name: 'second' });
  await expect.poll(() => presentedName(gateway.mqttPort), { interval: 500 }).toBe('second');
  expect(await publish(open, topicOf(device), '{"fill_percentage": 50}')).toBe('acknowledged');
});
