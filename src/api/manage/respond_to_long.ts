import type { FastifyReply } from 'fastify';
import type { Tx } from '../../db/pool.ts';
import { malformed } from '../../http/problem.ts';
import { parseParameters } from '../parameters.ts';
import { putLines } from './bulk.ts';
import { checkRoles, type ManageBulk, type ManageLong, type ManageOperation } from './manage_operation.ts';
import { callerOf, checkMediaType, type ManageHttpRequest, textOf } from './manage_request.ts';
import { checkQuota } from './quotas.ts';
import { problemOfChange } from './refusals.ts';
import type { ManageTransactions } from './transactions.ts';

/** Stores the lines of a bulk in several transactions. A response with 200 or 207 has a result for every line. */
export async function respondToBulk(
  transactions: ManageTransactions,
  operation: ManageBulk,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { organizationNo } = callerOf(request);
  checkMediaType(operation, request);
  const parameters = parseParameters(operation.parameters, request.query.given, undefined);
  const isDryRun = parameters['dry_run'] === true;
  const change = longChange(transactions, operation, request, isDryRun);
  const isClientGone = (): boolean => reply.raw.closed;
  // A dry run rolls back each transaction, so what its earlier transactions would have created is added here.
  let rolledBack = 0;
  const { text, hasRefused } = await putLines(operation, textOf(request), {
    organizationNo,
    isDryRun,
    isClientGone,
    async checkQuota(tx, created) {
      await checkQuota(tx, organizationNo, { what: operation.creates, created, rolledBack });
      if (isDryRun) rolledBack += created;
    },
    change,
  });
  return reply
    .code(hasRefused ? 207 : 200)
    .header('cache-control', 'no-store')
    .type('application/x-ndjson; charset=utf-8')
    .send(text);
}

/** Returns the function that runs one of several transactions of a request. */
function longChange(
  transactions: ManageTransactions,
  { allowedCallers }: ManageOperation,
  request: ManageHttpRequest,
  isDryRun: boolean,
): <T>(work: (tx: Tx) => Promise<T>) => Promise<T> {
  const { sender, organizationNo, credential } = callerOf(request);
  return (work) =>
    transactions.write(
      { sender, organizationNo, queue: 'catalog' },
      { credential, requestId: request.id, isOwner: false },
      { isDryRun, isBulk: true },
      (tx, { roles }) => {
        checkRoles(allowedCallers, roles);
        return work(tx);
      },
    );
}

/** Runs an import, or its undo. Each of its reads and transactions waits in the queue by itself. */
export async function respondToLong(
  transactions: ManageTransactions,
  operation: ManageLong,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sender, organizationNo } = callerOf(request);
  if (operation.takesFile) checkMediaType(operation, request);
  const parameters = parseParameters(operation.parameters, request.query.given, undefined);
  const isDryRun = parameters['dry_run'] === true;
  const change = longChange(transactions, operation, request, isDryRun);
  const run = operation.run({
    db: transactions.reads({ sender, organizationNo, queue: 'other' }),
    organizationNo,
    path: request.params,
    parameters,
    isDryRun,
    file: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    change: (work) => {
      if (reply.raw.closed) throw malformed('The connection was closed before everything was stored.');
      return change(work);
    },
    checkQuota: (tx, added) => checkQuota(tx, organizationNo, added),
  });
  const { status, body } = await run.catch((error: unknown) => {
    throw problemOfChange(error);
  });
  return reply.code(status).header('cache-control', 'no-store').send(body);
}
