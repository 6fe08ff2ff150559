import type { Static, TObject } from 'typebox';
import type { ChangeContext } from '../../catalog/change_context.ts';
import type { StoredObject } from '../../catalog/v1_columns.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { forbidden, forbiddenRole, notFound, type ParameterError } from '../../http/problem.ts';
import { type Caller, isOwner } from '../../keys/key_verifier.ts';
import type { AddressConfig } from '../../settings/address_settings.ts';
import type { DeviceSecretsConfig, LinkSecretsConfig } from '../../settings/secret_settings.ts';
import type { JsonObject } from '../../values/json.ts';
import type { ParameterSet, ParameterValues } from '../parameters.ts';
import type { BulkTarget } from './bulk_target.ts';
import type { Condition } from './conditions.ts';
import { dryRun } from './manage_parameters.ts';
import type { Limited } from './quotas.ts';

/**
 * Who may use an operation: a key with the scope `manage`, a person with one of these roles, or an owner. The operation
 * itself limits an owner to the owner's tanks.
 */
export type AllowedCaller = 'key' | 'administrator' | 'dispatcher' | 'technician' | 'owner';

/** The callers who may plan rounds. */
export const PLANNERS = ['key', 'administrator', 'dispatcher'] as const;
/** The callers who may read rounds. */
export const READERS = [...PLANNERS, 'technician'] as const;

interface CommonOperation {
  /** The path with its parameters, such as `/manage/v1/customers/:id`. */
  path: string;
  operationId: string;
  summary: string;
  description: string;
  tag: string;
  /** The descriptions of the parameters of the path. */
  pathParameters: Readonly<Record<string, string>>;
  allowedCallers: readonly AllowedCaller[];
  parameters: ParameterSet;
  /** The object in the response, and an example. Null if the response has no body. */
  item: TObject | null;
  example: object | null;
}

/** An operation of /manage/v1 that reads. It reads the primary, so that a caller sees its own changes. */
export interface ManageRead extends CommonOperation {
  kind: 'read';
  method: 'GET';
  read(request: ReadRequest<ParameterValues<ParameterSet>>): Promise<ManageResponse>;
}

/** The values of a body, with the types of its schema. */
type ValuesOf<Body extends TObject | null> = Body extends TObject ? Static<Body> : Readonly<Record<string, never>>;

/**
 * An operation of /manage/v1 that changes something, in one transaction. `write` creates it with the types of its body.
 */
export interface ManageWrite<Body extends TObject | null = TObject | null> extends CommonOperation {
  kind: 'write';
  method: 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** The statuses of success. */
  statuses: readonly (200 | 201 | 202 | 204)[];
  /** The queue in which the change waits. Changes of the catalog also wait for each other and for imports. */
  queue: 'catalog' | 'other';
  /** Null for a request without a body. */
  body: Body;
  /** The limit of the body, if it is not the default of 16 KiB. */
  maxBodyBytes?: number;
  /** The quota that counts the new object if the status is 201. */
  creates?: Limited;
  /** True if the operation only computes. Its transaction is rolled back, and it needs no Idempotency-Key. */
  storesNothing?: boolean;
  /** True if the response names fields differently from the body, so that a client cannot send it back as a body. */
  hasOtherNames?: boolean;
  /** Whether If-Match must be sent, may be sent, or means nothing. */
  condition: 'required' | 'optional' | 'none';
  /** Runs work that takes time and needs no database, before the transaction. Throws 422. */
  prepare?(request: { values: ValuesOf<Body>; webhooks: AddressConfig; connectors: AddressConfig }): Promise<void>;
  /** For a body with errors: further errors that only the database shows, so that all are reported at once. */
  moreErrors?(
    request: Pick<WriteRequest, 'tx' | 'organizationNo' | 'path'> & { given: JsonObject },
  ): Promise<ParameterError[]>;
  handle(request: WriteRequest<ParameterValues<ParameterSet>, ValuesOf<Body>>): Promise<ManageResponse>;
}

/** An operation that creates or replaces many objects, one for each line of the body, in several transactions. */
export interface ManageBulk extends CommonOperation {
  kind: 'bulk';
  method: 'POST';
  /** One line of the body. */
  body: TObject;
  creates: Limited;
  target: BulkTarget;
}

/**
 * An operation in several transactions: an import, or its undo. If it is sent again, it completes what is missing, so
 * it needs no Idempotency-Key.
 */
export interface ManageLong extends CommonOperation {
  kind: 'long';
  method: 'POST';
  /** Whether the body is a file. If false, the request has no body. */
  takesFile: boolean;
  run(request: LongRequest<ParameterValues<ParameterSet>>): Promise<ManageResponse>;
}

const READ_DEFAULTS = { kind: 'read', method: 'GET', pathParameters: {}, parameters: {} } as const;
const CHANGE_DEFAULTS = { pathParameters: {}, parameters: { dry_run: dryRun } } as const;
const WRITE_DEFAULTS = { ...CHANGE_DEFAULTS, kind: 'write', statuses: [200], condition: 'none' } as const;
const LONG_DEFAULTS = { ...CHANGE_DEFAULTS, kind: 'long', method: 'POST' } as const;
type WithDefaults<Operation, Names extends keyof Operation> = Omit<Operation, Names> & Partial<Pick<Operation, Names>>;

export const read = <Parameters extends ParameterSet>(
  operation: Omit<WithDefaults<ManageRead, keyof typeof READ_DEFAULTS>, 'parameters' | 'read'> & {
    parameters?: Parameters;
    read(request: ReadRequest<ParameterValues<Parameters>>): Promise<ManageResponse>;
  },
): ManageRead => ({ ...READ_DEFAULTS, ...operation });

/** A change whose `values` have the types of its body. Its only parameter is `dry_run`, unless it names others. */
export const write = <Body extends TObject | null, Parameters extends ParameterSet>(
  operation: Omit<WithDefaults<ManageWrite<Body>, keyof typeof WRITE_DEFAULTS>, 'parameters' | 'handle'> & {
    parameters?: Parameters;
    handle(request: WriteRequest<ParameterValues<Parameters>, ValuesOf<Body>>): Promise<ManageResponse>;
  },
): ManageWrite => ({ ...WRITE_DEFAULTS, ...operation });

export const long = <Parameters extends ParameterSet>(
  operation: Omit<WithDefaults<ManageLong, keyof typeof LONG_DEFAULTS>, 'parameters' | 'run'> & {
    parameters?: Parameters;
    run(request: LongRequest<ParameterValues<Parameters>>): Promise<ManageResponse>;
  },
): ManageLong => ({ ...LONG_DEFAULTS, ...operation });

/** The fields that are the same in all operations that delete or end something. */
export const deletion = { method: 'DELETE', item: null, example: null, statuses: [204], body: null } as const;

export type ManageOperation = ManageRead | ManageWrite | ManageBulk | ManageLong;

const PATCH_TYPE = 'application/merge-patch+json';
const LINES_TYPE = 'application/x-ndjson';
export const FILE_TYPE = 'application/octet-stream';
export const BODY_TYPES = ['application/json', PATCH_TYPE, LINES_TYPE] as const;

/** The media types of a body. A PATCH may also have the type of JSON, because many clients can send no other type. */
export const bodyTypesOf = ({ kind, method }: ManageOperation): readonly [string, ...string[]] => {
  if (kind === 'long') return [FILE_TYPE];
  return kind === 'bulk' ? [LINES_TYPE] : method === 'PATCH' ? [PATCH_TYPE, 'application/json'] : ['application/json'];
};

export interface ReadRequest<Parameters = unknown> {
  db: Db;
  organizationNo: number;
  /** The decoded parameters of the path. */
  path: Readonly<Record<string, string>>;
  parameters: Parameters;
}

export interface WriteRequest<Parameters = unknown, Values = object> extends ChangeContext {
  /** The customer, if an owner sends the request. Null for a key and for the people of the organization. */
  ownerNo: number | null;
  path: Readonly<Record<string, string>>;
  parameters: Parameters;
  /** The content of the body. The schema has checked it. Empty without a body. */
  values: Values;
  condition: Condition;
  /** The secrets from which the passwords of devices are derived. Null if this api does not have them. */
  deviceSecrets: DeviceSecretsConfig | null;
  /** The secrets that sign the links of drivers, and the address of the links. Null if this api signs no links. */
  links: (LinkSecretsConfig & { publicUrl: string }) | null;
  /** The key that encrypts secrets in the database. */
  secretsKey: string;
}

export interface LongRequest<Parameters = unknown> extends ReadRequest<Parameters> {
  isDryRun: boolean;
  /** The bytes of the file. Empty if the request has no file. */
  file: Uint8Array;
  /** Runs a transaction that has locked the organization. A dry run is rolled back. Throws if the client is gone. */
  change: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** Throws 409 if these new objects are more than the organization may have. */
  checkQuota: (tx: Tx, added: { what: Limited; created: number; rolledBack?: number }) => Promise<void>;
}

export interface ManageResponse {
  status: 200 | 201 | 202 | 204;
  body: object | null;
  etag?: string;
  /** The object in the response. Deleting the object also deletes the stored response. */
  about?: { object: string; no: number };
}

export const withEtag = <T extends object>(object: T, etagOf: (object: T) => string): T & { etag: string } => ({
  ...object,
  etag: etagOf(object),
});

/** The response with a stored object, which has the internal number `no`. */
export function respondWith<T extends { object: string }>(
  { no, object }: { no: number; object: T },
  etagOf: (object: T) => string,
  status: ManageResponse['status'] = 200,
): ManageResponse & { body: T & { etag: string }; etag: string } {
  const body = withEtag(object, etagOf);
  return { status, body, etag: body.etag, about: { object: object.object, no } };
}

/** The response with a customer or tank, which may be deleted. Throws 404 if it never existed. */
export function respondWithFound<T extends { object: 'customer' | 'tank' }>(
  kind: T['object'],
  found: StoredObject<T> | undefined,
  etagOf: (object: T) => string,
  status: 200 | 201,
): ManageResponse {
  if (found === undefined) throw notFound(kind);
  const { no, id, object } = found;
  if (object === null) return { status, body: { id, object: kind, deleted: true } };
  return respondWith({ no, object }, etagOf, status);
}

/** Throws 403 if the caller may not use the operation. The session of a key has only the role viewer, so it may not. */
export function checkAllowedCaller({ allowedCallers }: Pick<ManageOperation, 'allowedCallers'>, caller: Caller): void {
  if (isOwner(caller)) checkRoles(allowedCallers, ['owner']);
  else if (caller.isSession) checkRoles(allowedCallers, caller.roles);
  else if (!allowedCallers.includes('key') || !caller.scopes.includes('manage')) throw forbidden('manage');
}

/** Throws 403. `key` stands for a key with the scope `manage`. */
export function checkRoles(allowed: readonly AllowedCaller[], roles: readonly string[]): void {
  if (!allowed.some((role) => roles.includes(role))) throw forbiddenRole();
}
