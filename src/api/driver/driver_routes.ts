import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { AccessWriters } from '../../db/access_writers.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { type DriverLink, SEND_LONGER_MS, verifyDriverLink } from '../../deliveries/driver_links.ts';
import { AddressLimit } from '../../http/address_limit.ts';
import {
  conflict,
  linkSendsTooMuch,
  malformed,
  tooManyDriverEntries,
  tooManyFailedLogins,
  unauthorized,
  unsupportedMediaType,
} from '../../http/problem.ts';
import type { LinkSecretsConfig } from '../../settings/secret_settings.ts';
import { addressGroup } from '../../values/client_address.ts';
import type { Sender } from '../../values/fair_queue.ts';
import { bucketOf, type TokenBucket } from '../../values/token_bucket.ts';
import { isUuid } from '../../values/uuid7.ts';
import { parseBody } from '../json_body.ts';
import { Closed } from '../schemas/values.ts';
import { isStorableTime, parseDriverEntry } from './driver_entry.ts';
import { type DriverRound, readDriverStops } from './driver_stops.ts';

export const DRIVER_PATHS = {
  round: '/driver/v1/round',
  entry: '/driver/v1/entries/:id',
  blockRead: '/driver/v1/stops/:number/block-read',
} as const;

const blockRead = Compile(Closed({ since: Type.String({ maxLength: 40 }) }));

/** Enough for an entry: its longest field is a comment of at most 500 characters. */
const MAX_ENTRY_BYTES = 4_096;
const BODY_OPTIONS = {
  bodyLimit: MAX_ENTRY_BYTES,
  config: { bodyType: 'application/json', maxBodyBytes: MAX_ENTRY_BYTES },
};
/**
 * The rate limit of one round. A phone polls every 10 s. After a day without network, it sends its queued entries at
 * once, at most a few hundred.
 */
const REQUESTS_OF_ROUND = { perSecond: 5, burst: 300 };
/** The rate limit of one address, which many phones of a mobile network share. Only wrong tokens count. */
const WRONG_TOKENS = { perSecond: 1, burst: 60 };

const ROUND: Statement = { name: 'driver_round', text: 'select round from driver_round($1, $2)' };
const ENTRY: Statement = {
  name: 'record_driver_word',
  text: `select record_driver_word(of_round => $1, of_generation => $2, of_id => $3, of_stop => $4, of_tank => $5, of_kind => $6,
           of_volume => $7, of_unit => $8, of_reason => $9, of_comment => $10, of_at => $11, of_series => $12, of_number => $13,
           of_filled_to => $14) as outcome`,
};

const BLOCK_READ: Statement = {
  name: 'record_block_read',
  text: 'select record_block_read($1, $2, $3, $4) as is_valid',
};

type Outcome = 'stored' | 'same' | 'other' | 'ended' | 'full';

interface DriverOptions {
  /** The pool for slow reads on the primary. Replicas are not used, because an ended link must stop working at once. */
  readers: Readers;
  writers: AccessWriters;
  secrets: LinkSecretsConfig;
}

/**
 * Registers the interface of the driver's page. The token of the link is in the header Authorization, because logs
 * contain paths. Every invalid token gets the same response, whether it is wrong, expired, ended or of no round.
 */
export function registerDriver(app: FastifyInstance, { readers, writers, secrets }: DriverOptions): void {
  const wrongTokens = new AddressLimit(WRONG_TOKENS);
  const buckets = new Map<string, TokenBucket>();

  const refuse = (address: string): never => {
    if (!wrongTokens.count(address)) throw tooManyFailedLogins(wrongTokens.retryAfterSeconds(address));
    throw unauthorized('This link is not valid, or no longer valid. Ask the office for a new one.', ['Bearer']);
  };
  const verifyLink = ({ headers, ip }: FastifyRequest, { longerMs }: { longerMs: number }): DriverLink => {
    const token = /^Bearer ([\w.-]{1,200})$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const link = verifyDriverLink(secrets.linkSecrets, token);
    if (link === undefined || link.readUntilMs + longerMs <= Date.now()) return refuse(ip);
    takeToken(buckets, link.roundId);
    return link;
  };

  app.register(async (routes) => {
    routes.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));

    routes.get(DRIVER_PATHS.round, async (request, reply) => {
      const link = verifyLink(request, { longerMs: 0 });
      const linkReaders = readers.as(senderOf(link, request.ip));
      const [row] = await linkReaders.query<{ round: DriverRound }>(ROUND, [link.roundId, link.generation]);
      if (row === undefined) return refuse(request.ip);
      const stops = await readDriverStops(linkReaders, link.roundId, row.round);
      const times = {
        read_until: new Date(link.readUntilMs).toISOString(),
        send_until: new Date(link.readUntilMs + SEND_LONGER_MS).toISOString(),
      };
      return reply.header('cache-control', 'no-store').send({ ...row.round, stops, ...times });
    });

    // The body names the loss that the driver has read about. A phone without network may send it late, and it must not
    // count for a later loss.
    routes.put<{ Params: { number: string } }>(DRIVER_PATHS.blockRead, BODY_OPTIONS, async (request, reply) => {
      const link = verifyLink(request, { longerMs: SEND_LONGER_MS });
      const { since } = parseBody(blockRead, request.body, 'Send a JSON object with since, the time of the loss.');
      const { number } = request.params;
      if (!/^[1-9]\d{0,5}$/.test(number) || !isStorableTime(since))
        throw malformed('Send the number of the stop, and since as an ISO 8601 time.');
      const [row] = await writers
        .as(senderOf(link, request.ip))
        .query<{ is_valid: boolean }>(BLOCK_READ, [link.roundId, link.generation, Number(number), since]);
      reply.header('cache-control', 'no-store');
      if (row?.is_valid !== true) return refuse(request.ip);
      return reply.code(204).send();
    });

    routes.put<{ Params: { id: string } }>(DRIVER_PATHS.entry, BODY_OPTIONS, async (request, reply) => {
      const link = verifyLink(request, { longerMs: SEND_LONGER_MS });
      const { id } = request.params;
      if (!isUuid(id)) throw malformed('The id of an entry is a UUID.');
      if (typeof request.body !== 'string') throw unsupportedMediaType('The body must have the type application/json.');
      const { stop, tank_id, kind, volume, unit, reason, comment, note, filled_to, at } = parseDriverEntry(
        request.body,
      );
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
          note?.series ?? null,
          note?.number ?? null,
          filled_to,
        ]);
      reply.header('cache-control', 'no-store');
      if (row === undefined || row.outcome === 'ended') return refuse(request.ip);
      if (row.outcome === 'other') throw conflict('Another entry has this id.');
      if (row.outcome === 'full') throw tooManyDriverEntries();
      return reply.code(row.outcome === 'stored' ? 201 : 200).send({ object: 'driver_entry', id });
    });
  });
}

/** A round is one sender, and all rounds of one address are one group. */
const senderOf = ({ roundId }: DriverLink, address: string): Sender => ({
  group: addressGroup(address),
  member: `round ${roundId}`,
});

function takeToken(buckets: Map<string, TokenBucket>, roundId: string): void {
  const nowMs = Date.now();
  const bucket = bucketOf(buckets, roundId, REQUESTS_OF_ROUND, nowMs);
  if (!bucket.tryTake(nowMs)) throw linkSendsTooMuch(Math.ceil(bucket.delayMs(nowMs) / 1_000));
}
