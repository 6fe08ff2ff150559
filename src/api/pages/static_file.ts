import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { applyEtag } from '../http_caching.ts';

const COMPRESSORS = {
  // Quality 5 compresses the script of the reference, 4.4 MB, in 0.1 s; the highest takes 7 s and saves a fifth.
  br: (content: Buffer) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (content: Buffer) => promisify(gzip)(content),
};
type Encoding = keyof typeof COMPRESSORS;
const ENCODINGS: readonly Encoding[] = ['br', 'gzip'];

const COMPRESSIBLE = /text|javascript|json|yaml|svg/;
const MIN_COMPRESSED_BYTES = 1_024;
/**
 * Larger content is written in parts. When 4 MB were written at once to each of 240 clients, the process stopped for
 * half a second while the kernel copied them.
 */
const MAX_WRITE_BYTES = 65_536;

export interface StaticFileOptions {
  type: string;
  cacheControl: string;
  headers?: OutgoingHttpHeaders;
  /** The compressed content, if the build has made it. Otherwise the content is compressed at the first request. */
  compressed?: Partial<Record<Encoding, Buffer>>;
}

/**
 * Content that never changes, in one buffer that all responses share. As a string, or if each response read the file,
 * it would be in memory once for each client that reads slowly: 240 such clients needed a gigabyte.
 */
export class StaticFile {
  readonly #content: Buffer;
  readonly #headers: OutgoingHttpHeaders;
  readonly #tag: string;
  readonly #isCompressible: boolean;
  readonly #compressed: Partial<Record<Encoding, Buffer | Promise<Buffer>>>;

  constructor(content: Buffer, { type, cacheControl, headers = {}, compressed = {} }: StaticFileOptions) {
    this.#content = content;
    // The tag includes the headers, so that a browser that has the content gets a changed policy.
    const tag = createHash('sha256').update(JSON.stringify(headers)).update(content);
    this.#tag = tag.digest('base64url').slice(0, 27);
    this.#isCompressible = COMPRESSIBLE.test(type) && content.length >= MIN_COMPRESSED_BYTES;
    this.#headers = { ...headers, 'content-type': type, 'cache-control': cacheControl };
    this.#compressed = { ...compressed };
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const encoding = this.#isCompressible ? acceptedEncoding(request.headers['accept-encoding']) : undefined;
    reply.headers(this.#headers);
    if (this.#isCompressible) reply.header('vary', 'Accept-Encoding');
    if (applyEtag(request, reply, `"${this.#tag}${encoding ?? ''}"`)) return reply.send();
    if (encoding === undefined) return sendInParts(reply, this.#content);
    this.#compressed[encoding] ??= COMPRESSORS[encoding](this.#content);
    return sendInParts(reply.header('content-encoding', encoding), await this.#compressed[encoding]);
  }
}

function sendInParts(reply: FastifyReply, content: Buffer): FastifyReply {
  if (content.length <= MAX_WRITE_BYTES) return reply.send(content);
  return reply.header('content-length', content.length).send(Readable.from(partsOf(content), { highWaterMark: 1 }));
}

async function* partsOf(content: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < content.length; start += MAX_WRITE_BYTES) {
    if (start > 0) await setImmediate(); // the kernel accepts megabytes at once, so other requests need a pause in between
    yield content.subarray(start, start + MAX_WRITE_BYTES);
  }
}

/** The first encoding of ENCODINGS that Accept-Encoding, such as `gzip, br;q=0.9`, names with a weight above 0. */
function acceptedEncoding(accepted = ''): Encoding | undefined {
  const names = new Set(
    accepted
      .split(',')
      .map((item) => item.replaceAll(' ', '').toLowerCase())
      .filter((item) => !/;q=0(\.0*)?$/.test(item))
      .map((item) => item.split(';')[0]),
  );
  return ENCODINGS.find((encoding) => names.has(encoding));
}
