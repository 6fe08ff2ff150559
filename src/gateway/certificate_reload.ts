import { readFile } from 'node:fs/promises';
import { createSecureContext, type Server } from 'node:tls';
import type { StatusLogger } from '../health/outage.ts';
import type { TlsConfig } from '../settings/gateway_settings.ts';

const CHECK_INTERVAL_MS = 10_000;

/**
 * Uses a renewed certificate for new connections, without a restart. It compares the content of the files instead of
 * watching them, because renewals often replace a link to the folder of the files. If the new files are not a
 * certificate and its key, the server keeps the old ones.
 */
export function reloadCertificates(
  server: Server,
  tls: TlsConfig,
  logger: StatusLogger,
  onLoaded: (cert: string) => void = () => {},
  intervalMs: number = CHECK_INTERVAL_MS,
): void {
  let seen = { cert: tls.cert, key: tls.key };
  const check = async (): Promise<void> => {
    try {
      const [cert, key] = await Promise.all([readFile(tls.certFile, 'utf8'), readFile(tls.keyFile, 'utf8')]);
      if (cert === seen.cert && key === seen.key) return;
      // Remembered before the check, so that an unusable pair is reported only once.
      seen = { cert, key };
      createSecureContext({ cert, key });
      server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' });
      onLoaded(cert);
      logger.info({ file: tls.certFile }, 'loaded a new TLS certificate');
    } catch (error) {
      logger.error(
        { err: error, file: tls.certFile },
        'a new TLS certificate could not be loaded; using the previous one',
      );
    }
  };
  const timer = setInterval(() => void check(), intervalMs).unref();
  server.once('close', () => clearInterval(timer));
}
