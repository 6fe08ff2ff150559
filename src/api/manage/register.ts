import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_UPLOAD_BYTES } from '../../catalog/import_upload.ts';
import { originCheck } from '../../http/check_origin.ts';
import { foreignOrigin } from '../../http/problem.ts';
import { BODY_TYPES, bodyTypesOf, FILE_TYPE, type ManageOperation } from './manage_operation.ts';
import type { ManageHttpRequest } from './manage_request.ts';
import { OpenBulks } from './open_bulks.ts';
import { MANAGE_OPERATIONS } from './operations.ts';
import { respondToBulk, respondToLong } from './respond_to_long.ts';
import { type ManageOptions, respondToRead, respondToWrite } from './respond_to_read_or_write.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of /manage/v1 that this route serves. */
    manage?: ManageOperation;
  }
}

const maxBodyBytesOf = (operation: ManageOperation): number => {
  if (operation.kind === 'bulk' || (operation.kind === 'long' && operation.takesFile)) return MAX_UPLOAD_BYTES;
  return (operation.kind === 'write' ? operation.maxBodyBytes : undefined) ?? 16_384;
};

/** Registers the operations of /manage/v1. */
export function registerManage(app: FastifyInstance, options: ManageOptions): void {
  const bulks = new OpenBulks();
  const checkOrigin = originCheck(options.publicUrl);
  // A browser sends Origin with every change. A request with a cookie but without Origin is not from our pages.
  const checkOwnOrigin = (request: FastifyRequest): void => {
    if (request.headers.origin === undefined) throw foreignOrigin();
    checkOrigin(request);
  };
  app.register(async (routes) => {
    for (const type of BODY_TYPES)
      routes.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => done(null, body));
    routes.addContentTypeParser(FILE_TYPE, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const operation of MANAGE_OPERATIONS) {
      const isLong = operation.kind === 'bulk' || operation.kind === 'long';
      routes.route<{ Params: Record<string, string>; Querystring: { given: URLSearchParams } }>({
        method: operation.method,
        url: operation.path,
        config: {
          manage: operation,
          bodyType: bodyTypesOf(operation).join(' or '),
          maxBodyBytes: maxBodyBytesOf(operation),
        },
        bodyLimit: maxBodyBytesOf(operation),
        // Runs after the hooks that verify the caller, and before the body is read.
        async onRequest(request, reply) {
          const { caller } = request;
          if (caller?.isSession && operation.kind !== 'read') checkOwnOrigin(request);
          if (isLong && caller !== null) bulks.begin(caller.organizationNo, reply.raw);
        },
        handler: (request, reply) =>
          isLong && request.caller !== null
            ? bulks.run(request.caller.organizationNo, reply.raw, () => handle(options, operation, request, reply))
            : handle(options, operation, request, reply),
      });
    }
  });
}

function handle(
  options: ManageOptions,
  operation: ManageOperation,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // The request frees its slot, because it waits in the queues of ManageTransactions. When it kept the slot, 21 waiting
  // changes of one key took all slots, and the reads of others took 230 ms.
  request.leaveQueue();
  if (operation.kind === 'read') return respondToRead(options, operation, request, reply);
  if (operation.kind === 'write') return respondToWrite(options, operation, request, reply);
  if (operation.kind === 'long') return respondToLong(options.transactions, operation, request, reply);
  return respondToBulk(options.transactions, operation, request, reply);
}
