import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { applyEtag } from '../http_caching.ts';

/** The largest range of one request. A tile has 10 to 200 kB, and a directory of the file has less. */
const MAX_RANGE_BYTES = 1_048_576;
/** The part of a response that is in memory for a slow client. */
const CHUNK_BYTES = 65_536;

/** Throws 401 without a key or session, and 429 if the caller sends too many requests. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

interface MapTilesOptions {
  /** The path under which the file is served. */
  path: string;
  file: string;
  cacheControl: string;
  authenticate: Authenticate;
}

/**
 * Serves ranges of a PMTiles file, which may have 100 GB, to people who are signed in. A request reads at most 1 MiB,
 * and for a client that reads slowly, 64 KiB stay in memory. The file stays open, so a new file is served only after a
 * restart.
 */
export async function registerMapTiles(
  app: FastifyInstance,
  { path, file: name, cacheControl, authenticate }: MapTilesOptions,
): Promise<void> {
  const file = await open(name);
  const { size, mtimeMs } = await file.stat();
  const tag = `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
  app.addHook('onClose', () => file.close());
  app.get(path, async (request, reply) => {
    await authenticate(request, reply);
    reply.header('accept-ranges', 'bytes').header('cache-control', cacheControl);
    const range = rangeOf(request.headers.range, size);
    if (range === undefined) return reply.code(416).header('content-range', `bytes */${size}`).send();
    if (applyEtag(request, reply, tag)) return reply.send();
    const { start, end } = range;
    return reply
      .code(206)
      .header('content-type', 'application/vnd.pmtiles')
      .header('content-range', `bytes ${start}-${end}/${size}`)
      .header('content-length', end - start + 1)
      .send(Readable.from(readParts(file, start, end), { highWaterMark: 1 }));
  });
}

/** `createReadStream` is not used, because each stream would leave a listener on the file, which stays open. */
async function* readParts(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position <= end; position += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, end - position + 1);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
    if (bytesRead < length) throw new Error('the file of map tiles has become shorter');
    yield buffer;
  }
}

/** Parses one range with both ends, as the console sends it. Its end may be beyond the end of the file. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header ?? '') ?? [];
  const [start, end] = [Number(first), Math.min(Number(last), size - 1)];
  return start <= end && end - start < MAX_RANGE_BYTES ? { start, end } : undefined;
}
