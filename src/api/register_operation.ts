import type { FastifyInstance } from 'fastify';
import type { AccessWriters } from '../db/access_writers.ts';
import type { ReadSources, SourceReaders } from '../db/read_sources.ts';
import type { Authenticator } from '../http/authenticate.ts';
import { senderOf } from '../keys/key_verifier.ts';
import { organizationZone } from '../status/organization_day.ts';
import { followReadings } from '../status/reading_followers.ts';
import type { LiveStreams } from './live/live_streams.ts';
import type { OpenExports } from './open_exports.ts';
import type { Operation, OperationResponse } from './operation.ts';
import { beginDays, parseParameters, ZONE_HEADER } from './parameters.ts';
import { responseSchema, serializerSchema } from './schemas/values.ts';

interface OperationContext {
  sources: ReadSources;
  writers: AccessWriters;
  kind: keyof SourceReaders;
  authenticator: Authenticator;
  exports: OpenExports;
  streams?: LiveStreams;
}

export function registerOperation(
  app: FastifyInstance,
  { sources, writers, kind, authenticator, exports, streams }: OperationContext,
  operation: Operation,
): void {
  app.get<{ Params: { id?: string }; Querystring: { given: URLSearchParams } }>(
    operation.path,
    {
      config: { operation },
      schema: isStream(operation) ? {} : { response: { 200: serializerSchema(responseSchema(operation)) } },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const { id = '' } = request.params;
      if (caller === null) throw new Error('the request is not authenticated');
      if (operation.returns === 'csv') exports.add(caller, reply.raw);
      const query = request.query.given;
      const form = body instanceof URLSearchParams ? body : undefined;
      const parameters = parseParameters(operation.parameters, query, form);
      const given = form ? new URLSearchParams([...query, ...form]) : query;
      const path = operation.path.replace(':id', id);

      const reauthorize = (): Promise<unknown> => authenticator.verify(request);
      const input = {
        caller,
        id,
        path,
        given,
        reauthorize,
        exports,
        followReadings: () => followReadings(writers.as(senderOf(caller)), caller.organizationNo),
        ...(streams && { streams }),
      };
      const read = async (source: SourceReaders): Promise<OperationResponse> => {
        const readers = source[kind].as(senderOf(caller), { isStream: isStream(operation) });
        const withTimes = await beginDays(parameters, () => organizationZone(readers, caller.organizationNo));
        if (withTimes.dayZone !== undefined) reply.header(ZONE_HEADER, withTimes.dayZone);
        return operation.handle({ ...input, ...withTimes, readers });
      };
      const response = await (operation.readsPrimary
        ? sources.readPrimary(read)
        : sources.read(caller.keyPrefix, read));
      if (response.headers) reply.headers(response.headers);
      if (response.isDeleted) reply.serializer(JSON.stringify).type('application/json; charset=utf-8');
      return reply.send(response.body);
    },
  );
}

const isStream = ({ returns }: Operation): boolean => returns === 'csv' || returns === 'event_stream';
