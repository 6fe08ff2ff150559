import type { FastifyInstance } from 'fastify';
import { DAY_MS } from '../../values/time.ts';

export const SECURITY_TXT_PATH = '/.well-known/security.txt';

/** RFC 9116 asks for a date less than a year ahead. The file is written for each request, so it never expires. */
const VALID_MS = 180 * DAY_MS;

/** Says where to report a vulnerability (RFC 9116). `contact` is a mail address or a URL. */
export function registerSecurityTxt(app: FastifyInstance, contact: string, publicUrl: string): void {
  app.get(SECURITY_TXT_PATH, async (_request, reply) => {
    const lines = [
      `Contact: ${contact.includes(':') ? contact : `mailto:${contact}`}`,
      `Expires: ${new Date(Date.now() + VALID_MS).toISOString()}`,
      'Preferred-Languages: en, es',
      ...(publicUrl === '' ? [] : [`Canonical: ${publicUrl}${SECURITY_TXT_PATH}`]),
    ];
    return reply
      .header('cache-control', 'public, max-age=86400')
      .type('text/plain; charset=utf-8')
      .send(`${lines.join('\n')}\n`);
  });
}
