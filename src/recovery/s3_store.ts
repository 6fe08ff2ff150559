import { createHash, createHmac } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { BackupConfig } from '../settings/command_settings.ts';
import { reasonOf } from '../values/error_reason.ts';
import { UserError } from '../values/user_error.ts';

/** An S3-compatible storage. */
export type S3Config = BackupConfig['s3'];

/** A location in a storage: s3://bucket/folder. */
export interface S3Location {
  bucket: string;
  /** The path without slashes at its ends; may be empty. */
  path: string;
}

export function parseS3Location(text: string): S3Location | undefined {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text) ?? [];
  return bucket === undefined ? undefined : { bucket, path: path.replaceAll(/^\/+|\/+$/g, '') };
}

export function assertHasKey({ keyId, secret }: S3Config): void {
  if (keyId === '' || secret === '')
    throw new UserError('a storage needs a key; set BACKUP_S3_KEY_ID and BACKUP_S3_SECRET, or BACKUP_S3_SECRET_FILE.');
}

/** The largest file that one request can store. */
const MAX_PUT_BYTES = 5 * 2 ** 30;
/** A request fails if no byte comes for this time. */
const IDLE_MS = 60_000;
/** A list of 1,000 names with 1,024 characters, escaped in XML, fits into this size. */
const MAX_ANSWER_BYTES = 8 * 1_048_576;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
/** Escapes as in RFC 3986: encodeURIComponent leaves five more characters as they are. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

interface SignedRequest {
  method: 'GET' | 'PUT' | 'DELETE';
  location: S3Location;
  query?: Readonly<Record<string, string>>;
  /** SHA-256 of the body. */
  bodySha256?: string;
}

/** The address and the headers of a request, with an AWS signature of version 4. */
export function signRequest(
  { endpoint, region, keyId, secret }: S3Config,
  { method, location, query = {}, bodySha256 = EMPTY_SHA256 }: SignedRequest,
  at: Date,
): { url: URL; headers: Record<string, string> } {
  const path = `/${[location.bucket, ...location.path.split('/').filter(Boolean)].map(encoded).join('/')}`;
  const search = Object.keys(query)
    .toSorted()
    .map((name) => `${encoded(name)}=${encoded(query[name] ?? '')}`)
    .join('&');
  const url = new URL(`${endpoint.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`);
  const time = at.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const headers = { host: url.host, 'x-amz-content-sha256': bodySha256, 'x-amz-date': time };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = [method, url.pathname, search, lines.join(''), names, bodySha256].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, day));
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { url, headers: { ...headers, authorization } };
}

/** Stores a file. The storage compares its content with the checksum of the signature. */
export async function putFile(config: S3Config, file: string, location: S3Location): Promise<void> {
  const { size } = await stat(file);
  if (size > MAX_PUT_BYTES)
    throw new UserError(
      `${file} has ${(size / 1e9).toFixed(1)} GB, and one file of a storage has at most 5 GiB; use a repository of pgBackRest in it (docs/operators/backup.md).`,
    );
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const signed = { method: 'PUT' as const, location, bodySha256: hash.digest('hex') };
  const response = await send(config, signed, async (request) => {
    request.setHeader('content-length', size);
    await pipeline(createReadStream(file), request);
  });
  await expectSuccess(config, response, location);
}

/** Writes an object to a file. */
export async function getFile(config: S3Config, location: S3Location, file: string): Promise<void> {
  const response = await send(config, { method: 'GET', location });
  if (response.statusCode !== 200) return void (await expectSuccess(config, response, location));
  try {
    await pipeline(response, createWriteStream(file, { mode: 0o600, flags: 'wx', flush: true }));
    const { size } = await stat(file);
    if (size !== Number(response.headers['content-length'] ?? size))
      throw new UserError(`the storage ended s3://${location.bucket}/${location.path} early; try again.`);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** The names of the objects directly in a folder that begin with `start`. A response has at most 1,000 names. */
export async function listFiles(config: S3Config, { bucket, path }: S3Location, start: string): Promise<string[]> {
  const prefix = path === '' ? start : `${path}/${start}`;
  const names: string[] = [];
  let token: string | undefined;
  do {
    const next = token === undefined ? {} : { 'continuation-token': token };
    const query = { 'list-type': '2', prefix, delimiter: '/', ...next };
    const response = await send(config, { method: 'GET', location: { bucket, path: '' }, query });
    const text = await expectSuccess(config, response, { bucket, path });
    // The folder is removed up to the last slash and not by its length, because the key is escaped in XML.
    for (const [, name = ''] of text.matchAll(/<Key>(?:[^<]*\/)?([^</]*)<\/Key>/g)) names.push(name);
    token = /<NextContinuationToken>([^<]+)</.exec(text)?.[1]?.replaceAll('&amp;', '&');
  } while (token !== undefined);
  return names;
}

export async function deleteFile(config: S3Config, location: S3Location): Promise<void> {
  await expectSuccess(config, await send(config, { method: 'DELETE', location }), location);
}

async function send(
  config: S3Config,
  signed: SignedRequest,
  write: (request: ClientRequest) => Promise<void> | void = (request) => void request.end(),
): Promise<IncomingMessage> {
  const { url, headers } = signRequest(config, signed, new Date());
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, { method: signed.method, headers });
  request.setTimeout(IDLE_MS, () => request.destroy(new Error(`no answer for ${IDLE_MS / 1_000} s`)));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  answered.catch(() => {}); // awaited below
  // A storage that refuses a file responds before it has received the whole file.
  const writing = Promise.resolve(write(request));
  writing.catch(() => {});
  return answered.catch((error: unknown) => {
    throw new UserError(
      `the storage at ${url.origin} cannot be reached (${reasonOf(error)}); correct BACKUP_S3_ENDPOINT, or start it.`,
    );
  });
}

const ADVICE: Readonly<Record<string, string>> = {
  AccessDenied: 'give the key rights to this bucket',
  InvalidAccessKeyId: 'correct BACKUP_S3_KEY_ID',
  SignatureDoesNotMatch: 'correct BACKUP_S3_SECRET',
  NoSuchBucket: 'create the bucket, or correct its name',
  NoSuchKey: 'check the name of the file',
  AuthorizationHeaderMalformed: 'correct BACKUP_S3_REGION',
  RequestTimeTooSkewed: 'set the clock of this machine',
};

/** Returns the text of the response. Throws an error with advice if the storage refused the request. */
async function expectSuccess(config: S3Config, response: IncomingMessage, location: S3Location): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text = (text + String(chunk)).slice(0, MAX_ANSWER_BYTES);
  const { statusCode = 0 } = response;
  if (statusCode >= 200 && statusCode < 300) return text;
  const code = /<Code>([A-Za-z]+)<\/Code>/.exec(text)?.[1] ?? '';
  const what = code === '' ? `status ${statusCode}` : `${code}, status ${statusCode}`;
  const advice = ADVICE[code] ?? 'check BACKUP_S3_ENDPOINT, BACKUP_S3_REGION and the key';
  throw new UserError(
    `the storage at ${config.endpoint} refused s3://${location.bucket}/${location.path} (${what}); ${advice}.`,
  );
}
