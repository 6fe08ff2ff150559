import { lookup } from 'node:dns/promises';
import type { CustomFetch } from 'openid-client';
import { type Response as FetchResponse, fetch } from 'undici';
import { guardedAgent, PrivateAddressError } from '../http/guarded_agent.ts';
import { isMetadataAddress, isPrivateAddress } from '../http/private_addresses.ts';

/**
 * The limit of a decoded body. Discovery documents, keys and tokens have about 10 kB; the token of a person in 10,000 groups has about
 * 400 kB.
 */
const MAX_RESPONSE_BYTES = 1_048_576;

/** The error is a TypeError, because openid-client rethrows TypeErrors of fetch and replaces the messages of other errors. */
class AnswerTooLargeError extends TypeError {
  readonly code = 'ANSWER_TOO_LARGE';
}

/**
 * Returns the fetch function that reads the discovery document of an issuer and then sends requests to its endpoints. Operators choose
 * the issuer, so it may have a private address. The provider chooses the endpoints in the document, and the endpoints of a public issuer
 * must not be private. The first connection, which reads the document, shows whether the issuer is private. Its certificate proves that
 * the host name does not resolve to a private address of another service.
 */
export function providerFetch({ isPrivate = isPrivateAddress, isMetadata = isMetadataAddress } = {}): CustomFetch {
  let isPrivateIssuer: boolean | undefined;
  const agent = guardedAgent({
    isAllowed: (address) => !isMetadata(address) && (isPrivateIssuer !== false || !isPrivate(address)),
    onConnect: (address) => {
      isPrivateIssuer ??= isPrivate(address);
    },
    // Unlike the resolver of webhooks, this resolver reads /etc/hosts, which often contains providers of private networks.
    resolveHost: (hostname) => lookup(hostname, { all: true }),
  });
  return async (url, { method, headers, body, signal }) => {
    const { host } = new URL(url);
    const options = { method, headers, body: body ?? null, signal: signal ?? null };
    const response = await fetch(url, { ...options, redirect: 'manual', dispatcher: agent }).catch((error: unknown) => {
      if (!(error instanceof Error) || !(error.cause instanceof PrivateAddressError)) throw error;
      const reason =
        isPrivateIssuer === false ? 'but the issuer has a public one' : 'at which there can be no provider';
      throw new TypeError(`${host} has a private address, ${reason}`, { cause: error });
    });
    const content = await readContent(response, host);
    return new Response(content, { status: response.status, headers: [...response.headers] });
  };
}

/** Reads a body, at most one chunk more than the limit after decompression. */
async function readContent({ body }: FetchResponse, host: string): Promise<Blob | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (bytes > MAX_RESPONSE_BYTES) throw new AnswerTooLargeError(`the answer of ${host} has more than 1 MiB`);
    chunks.push(chunk);
  }
  return bytes === 0 ? null : new Blob(chunks);
}
