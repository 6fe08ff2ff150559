import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readers, Statement } from '../../db/readers.ts';
import type { Writers } from '../../db/writers.ts';
import { type DriverLink, SEND_LONGER_MS, verifyDriverLink } from '../../deliveries/driver_links.ts';
import {
  conflict,
  linkSendsTooMuch,
  malformed,
  tooManyDriverEntries,
  tooManyFailedLogins,
  unauthorized,
  unsupportedMediaType,
} from '../../http/problem.ts';
import { addressGroup } from '../../network/client_address.ts';
import { FailedLogins } from '../../network/failed_logins.ts';
import { TokenBucket } from '../../network/token_bucket.ts';
import type { LinkSecretsConfig } from '../../settings/secret_settings.ts';
import type { Sender } from '../../values/turns.ts';
import { isUuid } from '../../values/uuid7.ts';
import { readDriverEntry, splitNote } from './driver_entry.ts';

export const DRIVER_PATHS = { round: '/driver/v1/round', entry: '/driver/v1/entries/:id' } as const;

/** An entry has at most 500 characters of comment. */
const MAX_ENTRY_BYTES = 4_096;
/** Of one round. A phone asks every 30 s, and sends what it has queued in a day without network, at most a few hundred, at once. */
const REQUESTS_OF_ROUND = { perSecond: 5, burst: 300 };
const MAX_ROUNDS = 10_000;
/** Of one address, which many phones of a mobile network share. Only wrong tokens count. */
const WRONG_TOKENS = { perSecond: 1, burst: 60 };

const ROUND: Statement = { name: 'driver_round', text: 'select round from driver_round($1, $2)' };
const ENTRY: Statement = {
  name: 'record_driver_word',
  text: 'select record_driver_word($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) as outcome',
};

type Outcome = 'stored' | 'same' | 'other' | 'ended' | 'full';

interface DriverOptions {
  /** Of the primary: an ended link must show nothing at once. */
  readers: Readers;
  writers: Writers;
  secrets: LinkSecretsConfig;
}

/**
 * Registers the interface of the driver's page. The token of the link stands in the header Authorization: in a path it would be in
 * logs. The same answer to every token that is not valid, whether it is wrong, expired, ended or of no round.
 */
export function registerDriver(app: FastifyInstance, { readers, writers, secrets }: DriverOptions): void {
  const wrongTokens = new FailedLogins(WRONG_TOKENS);
  const buckets = new Map<string, TokenBucket>();

  const refuse = (address: string): never => {
    if (!wrongTokens.count(address)) throw tooManyFailedLogins(wrongTokens.retryAfterSeconds(address));
    throw unauthorized('This link is not valid, or not valid any more. Ask the office for a new one.', ['Bearer']);
  };
  const linkOf = ({ headers, ip }: FastifyRequest, { longerMs }: { longerMs: number }): DriverLink => {
    const token = /^Bearer ([\w.-]{1,200})$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const link = verifyDriverLink(secrets.linkSecrets, token);
    if (link === undefined || link.readUntilMs + longerMs <= Date.now()) return refuse(ip);
    takeToken(buckets, link.roundId);
    return link;
  };

  app.register(async (routes) => {
    routes.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));

    routes.get(DRIVER_PATHS.round, async (request, reply) => {
      const link = linkOf(request, { longerMs: 0 });
      const found = await readers
        .as(senderOf(link, request.ip))
        .query<{ round: object }>(ROUND, [link.roundId, link.generation]);
      const [row] = found;
      if (row === undefined) return refuse(request.ip);
      const times = {
        read_until: new Date(link.readUntilMs).toISOString(),
        send_until: new Date(link.readUntilMs + SEND_LONGER_MS).toISOString(),
      };
      return reply.header('cache-control', 'no-store').send({ ...row.round, ...times });
    });

    routes.put<{ Params: { id: string } }>(
      DRIVER_PATHS.entry,
      { bodyLimit: MAX_ENTRY_BYTES, config: { bodyType: 'application/json', maxBodyBytes: MAX_ENTRY_BYTES } },
      async (request, reply) => {
        const link = linkOf(request, { longerMs: SEND_LONGER_MS });
        const { id } = request.params;
        if (!isUuid(id)) throw malformed('The id of an entry is a UUID.');
        if (typeof request.body !== 'string')
          throw unsupportedMediaType('The body must have the type application/json.');
        const { stop, tank_id, kind, volume, unit, reason, comment, note, filled_to, at } = readDriverEntry(
          request.body,
        );
        const { series, number } = splitNote(note);
        const [row] = await writers
          .as(senderOf(link, request.ip))
          .query<{ outcome: Outcome }>(ENTRY, [
            link.roundId,
            link.generation,
            id,
            stop,
            tank_id,
            kind,
            volume,
            unit,
            reason,
            comment,
            at,
            series,
            number,
            filled_to,
          ]);
        reply.header('cache-control', 'no-store');
        if (row === undefined || row.outcome === 'ended') return refuse(request.ip);
        if (row.outcome === 'other') throw conflict('Another entry has this id.');
        if (row.outcome === 'full') throw tooManyDriverEntries();
        return reply.code(row.outcome === 'stored' ? 201 : 200).send({ object: 'driver_entry', id });
      },
    );
  });
}

/** One statement of a round is in progress at a time, whatever its phones send. */
const senderOf = ({ roundId }: DriverLink, address: string): Sender => ({
  group: addressGroup(address),
  member: `round ${roundId}`,
});

function takeToken(buckets: Map<string, TokenBucket>, roundId: string): void {
  const nowMs = Date.now();
  // Clearing all buckets gives each round one extra burst, once per 10,000 rounds.
  if (buckets.size >= MAX_ROUNDS) buckets.clear();
  const bucket = buckets.get(roundId) ?? new TokenBucket(REQUESTS_OF_ROUND, nowMs);
  buckets.set(roundId, bucket);
  if (!bucket.tryTake(nowMs)) throw linkSendsTooMuch(Math.ceil(bucket.delayMs(nowMs) / 1_000));
}
