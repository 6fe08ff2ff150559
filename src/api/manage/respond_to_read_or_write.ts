import type { FastifyReply } from 'fastify';
import { invalidParameters } from '../../http/problem.ts';
import type { AddressConfig } from '../../settings/address_settings.ts';
import type { DeviceSecretsConfig, LinkSecretsConfig } from '../../settings/secret_settings.ts';
import { sendNotModified } from '../http_caching.ts';
import { parseParameters } from '../parameters.ts';
import { checkBody, parseJsonObject } from './body_values.ts';
import { parseCondition } from './conditions.ts';
import { claimKey, parseIdempotencyKey, type StoredResponse, storeResponse } from './idempotency.ts';
import { checkRoles, type ManageRead, type ManageResponse, type ManageWrite } from './manage_operation.ts';
import { callerOf, checkMediaType, type ManageHttpRequest, textOf } from './manage_request.ts';
import { MANAGE_OPERATIONS } from './operations.ts';
import { checkQuota } from './quotas.ts';
import { checkRepeated, splitRepeated } from './repeated_fields.ts';
import type { ManageTransactions } from './transactions.ts';

export interface ManageOptions {
  transactions: ManageTransactions;
  /** The keys that encrypt stored responses, the current one first. */
  secretsKeys: readonly string[];
  /** The address of the console. */
  publicUrl: string;
  /** Null if passwords of devices are not shown. */
  deviceSecrets: DeviceSecretsConfig | null;
  /** Null if there are no links of drivers. */
  links: LinkSecretsConfig | null;
  /** Where webhooks may be sent. */
  webhooks: AddressConfig;
  /** Which addresses connectors may send requests to. */
  connectors: AddressConfig;
}

export async function respondToRead(
  { transactions }: ManageOptions,
  operation: ManageRead,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sender, organizationNo } = callerOf(request);
  const parameters = parseParameters(operation.parameters, request.query.given, undefined);
  const response = await transactions.read({ sender, organizationNo, queue: 'other' }, (db) =>
    operation.read({ db, organizationNo, path: request.params, parameters }),
  );
  reply.header('cache-control', 'private, no-cache').header('vary', 'X-API-Key, Cookie');
  if (response.etag !== undefined && sendNotModified(request, reply, response.etag)) return reply.send();
  return reply.code(response.status).send(response.body);
}

/**
 * The order of the checks decides which error is reported: first an unreadable body, then a reused Idempotency-Key,
 * then invalid fields, and last what the operation finds under its lock. The Idempotency-Key, the change, its audit
 * entry and the response are stored in one transaction.
 */
export async function respondToWrite(
  { transactions, secretsKeys, deviceSecrets, links, publicUrl, webhooks, connectors }: ManageOptions,
  operation: ManageWrite,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sender, organizationNo, credential, isOwner: isForOwner } = callerOf(request);
  const { headers, params: path, url: target, method } = request;
  const isDryRun =
    operation.storesNothing === true ||
    (operation.parameters['dry_run'] !== undefined && request.query.given.get('dry_run') === 'true');
  if (operation.body !== null) checkMediaType(operation, request);
  const body = operation.body === null ? {} : parseJsonObject(textOf(request));
  const read = readOf(operation);
  const { written, repeated } =
    operation.body === null ? { written: body, repeated: {} } : splitRepeated(body, operation.body, read?.item);
  const condition = parseCondition(headers, { isRequired: operation.condition === 'required' });
  const idempotencyKey = isDryRun
    ? undefined
    : parseIdempotencyKey(headers, { method, target, body: textOf(request) }, { isRequired: method === 'POST' });
  // Errors are thrown later, so that a repeated request gets its stored response, even if a host name can no longer be
  // resolved.
  const checked = operation.body === null ? { values: {} } : checkBody(operation.body, written);
  const refusal: unknown =
    'errors' in checked
      ? undefined
      : await operation.prepare?.({ values: checked.values, webhooks, connectors }).then(
          () => undefined,
          (error: unknown) => error,
        );
  const queued = { sender, organizationNo, queue: operation.queue };
  const proof = { credential, requestId: request.id, isOwner: isForOwner };

  const stored = await transactions.write(queued, proof, { isDryRun }, async (tx, caller): Promise<StoredResponse> => {
    checkRoles(operation.allowedCallers, caller.roles);
    const replayed = idempotencyKey && (await claimKey(tx, caller, idempotencyKey, secretsKeys));
    if (replayed !== undefined) return replayed;
    const parameters = parseParameters(operation.parameters, request.query.given, undefined);
    if ('errors' in checked) {
      const more = (await operation.moreErrors?.({ tx, organizationNo, path, given: written })) ?? [];
      throw invalidParameters([...checked.errors, ...more]);
    }
    if (refusal !== undefined) throw refusal;
    if (read !== undefined)
      await checkRepeated(repeated, { hasCondition: condition.ifMatch !== undefined }, () =>
        read.read({ db: tx, organizationNo, path, parameters: {} }),
      );
    const response = await operation.handle({
      tx,
      organizationNo,
      ownerNo: caller.ownerNo,
      path,
      parameters,
      values: checked.values,
      condition,
      isDryRun,
      callerRoles: caller.roles,
      deviceSecrets,
      links: links && { ...links, publicUrl },
      secretsKey: secretsKeys[0] ?? '',
    });
    if (operation.creates !== undefined && response.status === 201)
      await checkQuota(tx, organizationNo, { what: operation.creates, created: 1 });
    const answer = storedResponseOf(response);
    if (idempotencyKey !== undefined)
      await storeResponse(tx, caller, idempotencyKey, answer, response.about, secretsKeys);
    return answer;
  });
  reply.code(stored.status).header('cache-control', 'no-store');
  if (stored.etag !== null) reply.header('etag', stored.etag);
  if (stored.isReplayed) reply.header('idempotent-replayed', 'true');
  if (stored.text === '') return reply.send();
  return reply.type('application/json; charset=utf-8').send(stored.text);
}

const READS = new Map(MANAGE_OPERATIONS.flatMap((one) => (one.kind === 'read' ? [[one.path, one] as const] : [])));

/** The operation that reads the object that this operation replaces or changes. */
const readOf = ({ method, path, hasOtherNames }: ManageWrite): ManageRead | undefined =>
  (method === 'PUT' || method === 'PATCH') && !hasOtherNames ? READS.get(path) : undefined;

const storedResponseOf = ({ status, body, etag }: ManageResponse): StoredResponse => ({
  status,
  text: body === null ? '' : JSON.stringify(body),
  etag: etag ?? null,
  isReplayed: false,
});
