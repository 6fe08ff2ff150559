import type { TObject } from 'typebox';
import type { Readers } from '../db/readers.ts';
import type { Caller } from '../keys/key_verifier.ts';
import type { FollowReadings } from '../status/reading_followers.ts';
import type { LiveStreams } from './live/live_streams.ts';
import type { OpenExports } from './open_exports.ts';
import type { ParameterSet, ParameterValues } from './parameters.ts';

/**
 * One operation of /v1 or /fleet/v1, as data. The router, the OpenAPI document and the tests use the same definitions.
 */
export interface Operation {
  path: string;
  operationId: string;
  summary: string;
  description: string;
  /**
   * `list`: one page of a list. `cursor_list`: one page, with cursors, of a list whose order changes. `event_feed`: the
   * next events. `object`: one object, which may be deleted. `answer`: a result that is never deleted. `csv`: a CSV
   * file of items. `event_stream`: a stream of server-sent events.
   */
  returns: 'list' | 'cursor_list' | 'event_feed' | 'object' | 'answer' | 'csv' | 'event_stream';
  /** The schema of the object, result or list item. It drives the serializer and the OpenAPI document. */
  item: TObject;
  example: object;
  /** The kind of object that `:id` in the path identifies. */
  idOf?: string;
  /** True to read on the primary even if there are replicas. */
  readsPrimary?: boolean;
  /** True if responses always have the header Tankwatch-Zone, with the zone of their days or local times. */
  hasLocalTimes?: boolean;
  /** True if a cursor can become invalid for good. The response is then 410. */
  canBeGone?: boolean;
  parameters: ParameterSet;
  handle(request: OperationRequest<ParameterValues<ParameterSet>>): Promise<OperationResponse>;
}

/** An operation whose request has the types of its parameters. */
export const operation = <Parameters extends ParameterSet>(
  definition: Omit<Operation, 'parameters' | 'handle'> & {
    parameters: Parameters;
    handle(request: OperationRequest<ParameterValues<Parameters>>): Promise<OperationResponse>;
  },
): Operation => definition;

export interface OperationRequest<Values = unknown> {
  readers: Readers;
  caller: Caller;
  id: string;
  parameters: Values;
  /** The zone in which days of the parameters begin. Undefined if no parameter is a day. */
  dayZone?: string | undefined;
  /** The requested path and the unparsed parameters, used to build the Link header. */
  path: string;
  given: URLSearchParams;
  /** Rejects when the key or the session has ended. A response of several parts calls it before each part. */
  reauthorize: () => Promise<unknown>;
  /** The open exports, for operations that return CSV files. */
  exports: OpenExports;
  /** Records that the organization of the caller follows its readings. */
  followReadings: FollowReadings;
  /** The open streams, which last as long as the caller may read. */
  streams?: LiveStreams;
}

export interface OperationResponse {
  body: object;
  isDeleted?: boolean;
  headers?: Readonly<Record<string, string>>;
}
