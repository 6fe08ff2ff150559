import type { FastifyInstance } from 'fastify';
import type { AccessWriters } from '../db/access_writers.ts';
import type { Statement } from '../db/readers.ts';
import { TEXT_REPORT_PATH } from '../duty/send_text.ts';
import { openChannelSecrets } from '../duty/text_channel.ts';
import { readReport, type TextProvider } from '../duty/text_providers.ts';
import { notFound } from '../http/problem.ts';
import { addressGroup } from '../values/client_address.ts';
import { senderAlone } from '../values/fair_queue.ts';
import { isUuid } from '../values/uuid7.ts';

const CHANNEL: Statement = { name: 'text_channel_of_report', text: 'select * from text_channel_of_report($1)' };
const RECORD: Statement = { name: 'record_text_report', text: 'select record_text_report($1, $2, $3, $4, $5)' };

/**
 * Registers the address at which providers report whether a text arrived: Twilio and gateways with POST, MessageBird
 * with GET. A report without a valid signature of the channel's provider gets 404, and so does an unknown channel.
 */
export function registerTextReports(
  app: FastifyInstance,
  {
    writers,
    apiSecretsKeys,
    publicUrl,
  }: { writers: AccessWriters; apiSecretsKeys: readonly string[]; publicUrl: string },
): void {
  app.register(async (routes) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    routes.route<{ Params: { id: string } }>({
      method: ['GET', 'POST'],
      url: TEXT_REPORT_PATH,
      async handler(request, reply) {
        const { params, headers, body, url, ip } = request;
        const id = params.id.toLowerCase();
        if (!isUuid(id)) throw notFound('path');
        const callerWriters = writers.as(senderAlone(addressGroup(ip)));
        const [channel] = await callerWriters.query<{ provider: TextProvider; sealed_secret: string }>(CHANNEL, [id]);
        if (channel === undefined) throw notFound('path');
        const secrets = openChannelSecrets(apiSecretsKeys, id, channel.sealed_secret);
        const report = readReport(
          channel.provider,
          secrets,
          {
            url: `${publicUrl}${url}`,
            query: new URLSearchParams(url.split('?')[1] ?? ''),
            headers,
            body: typeof body === 'string' ? body : '',
          },
          Date.now(),
        );
        if (report === undefined) throw notFound('path');
        const { reference, providerId, isDelivered, reason } = report;
        const textId = reference !== null && isUuid(reference) ? reference : null;
        if (isDelivered !== null && (textId !== null || providerId !== null))
          await callerWriters.query(RECORD, [id, textId, providerId, isDelivered, reason]);
        return reply.code(204).send();
      },
    });
  });
}
