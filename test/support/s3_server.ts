import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A storage in memory that checks every signature as Amazon documents it. */
export interface S3Server extends AsyncDisposable {
  endpoint: string;
  /** By bucket and path. */
  objects: Map<string, Buffer>;
  /** If true, the key may neither list nor delete. */
  isWriteOnly: boolean;
}

const PAGE_SIZE = 1_000;

export const S3_KEY = { keyId: 'AKTEST', secret: 'a/secret+of=the test' };

export async function startS3Server(bucket: string, port: number): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const refused = findProblem(request, body, bucket);
    const url = new URL(request.url ?? '/', `http://127.0.0.1:${port}`);
    const path = decodeURIComponent(url.pathname).slice(1);
    const [status, code] = refused ?? [404, 'NoSuchKey'];
    const refuse = (): void => void response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
    const isCleanup = url.searchParams.has('list-type') || request.method === 'DELETE';
    if (refused !== undefined) refuse();
    else if (started.isWriteOnly && isCleanup) response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
    else if (url.searchParams.has('list-type')) {
      const prefix = `${bucket}/${url.searchParams.get('prefix') ?? ''}`;
      const after = Buffer.from(url.searchParams.get('continuation-token') ?? '', 'base64').toString();
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
      const page = keys.slice(0, PAGE_SIZE);
      const next = Buffer.from(page.at(-1) ?? '').toString('base64');
      const token = keys.length > PAGE_SIZE ? `<NextContinuationToken>${next}</NextContinuationToken>` : '';
      const contents = page.map((key) => `<Contents><Key>${key.slice(bucket.length + 1)}</Key></Contents>`);
      response.end(token + contents.join('').replaceAll('&', '&amp;'));
    } else if (request.method === 'PUT') {
      objects.set(path, body);
      response.end();
    } else if (request.method === 'DELETE') {
      objects.delete(path);
      response.writeHead(204).end();
    } else if (objects.has(path)) response.end(objects.get(path));
    else refuse();
  };
  const server: Server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const started: S3Server = {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    isWriteOnly: false,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
  return started;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(?<key>[^/]+)\/(?<day>\d{8})\/(?<region>[^/]+)\/s3\/aws4_request, SignedHeaders=(?<names>[^,]+), Signature=(?<signature>[0-9a-f]{64})$/;
const hex = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
const mac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

function findProblem(request: IncomingMessage, body: Buffer, bucket: string): [number, string] | undefined {
  const {
    key,
    day = '',
    region = '',
    names = '',
    signature,
  } = AUTHORIZATION.exec(request.headers.authorization ?? '')?.groups ?? {};
  if (key !== S3_KEY.keyId) return [403, 'InvalidAccessKeyId'];
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const bodyHash = String(request.headers['x-amz-content-sha256']);
  const time = String(request.headers['x-amz-date']);
  const signed = names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const text = [request.method, path, query.split('&').toSorted().join('&'), signed.join(''), names, bodyHash].join(
    '\n',
  );
  const scope = `${day}/${region}/s3/aws4_request`;
  const signingKey = mac(mac(mac(mac(`AWS4${S3_KEY.secret}`, day), region), 's3'), 'aws4_request');
  const expected = mac(signingKey, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hex(text)}`).toString('hex');
  if (signature !== expected) return [403, 'SignatureDoesNotMatch'];
  if (hex(body) !== bodyHash) return [400, 'XAmzContentSHA256Mismatch'];
  return path.split('/')[1] === bucket ? undefined : [404, 'NoSuchBucket'];
}
