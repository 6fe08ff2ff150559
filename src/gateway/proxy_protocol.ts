import type { Socket } from 'node:net';

/**
 * The header of PROXY protocol version 2, by which a TCP proxy passes on the address of the client:
 * https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt, section 2.2.
 */
const SIGNATURE = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]);
const FIXED_BYTES = 16;
/** Addresses need at most 36 bytes. Proxies may append data of their own, such as a TLS certificate's name. */
const MAX_ADDRESS_BYTES = 4_096;
const [VERSION_2_LOCAL, VERSION_2_PROXY] = [0x20, 0x21];
const [TCP_OVER_IPV4, TCP_OVER_IPV6] = [0x11, 0x21];

class InvalidProxyHeader extends Error {}

/**
 * Reads the header and leaves everything behind it in the socket. Resolves with the address of the client; undefined if
 * the proxy speaks for itself, as in a health check. Rejects if the header is invalid or does not arrive in time.
 */
export function readProxyHeader(socket: Socket, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let fixed: Buffer | null = null;
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      socket.off('readable', read).off('close', fail);
      settle();
    };
    const fail = (): void => finish(() => reject(new InvalidProxyHeader('the PROXY header did not arrive')));
    const timer = setTimeout(fail, timeoutMs);
    const read = (): void => {
      try {
        fixed ??= readBytes(socket, FIXED_BYTES);
        if (fixed === null) return;
        const length = checkedLength(fixed);
        const addresses = length === 0 ? Buffer.alloc(0) : readBytes(socket, length);
        if (addresses === null) return;
        const address = sourceAddress(fixed, addresses);
        finish(() => resolve(address));
      } catch (error) {
        finish(() => reject(error instanceof Error ? error : new InvalidProxyHeader('unknown error')));
      }
    };
    socket.on('readable', read).once('close', fail);
    read();
  });
}

/** Null until as many bytes have arrived. */
function readBytes(socket: Socket, count: number): Buffer | null {
  const bytes: unknown = socket.read(count);
  return bytes instanceof Buffer ? bytes : null;
}

function checkedLength(fixed: Buffer): number {
  const command = fixed[12];
  const isVersion2 = command === VERSION_2_LOCAL || command === VERSION_2_PROXY;
  const length = fixed.readUInt16BE(14);
  if (!fixed.subarray(0, 12).equals(SIGNATURE) || !isVersion2 || length > MAX_ADDRESS_BYTES) {
    throw new InvalidProxyHeader('the connection does not begin with a header of PROXY protocol version 2');
  }
  return length;
}

function sourceAddress(fixed: Buffer, addresses: Buffer): string | undefined {
  if (fixed[12] === VERSION_2_LOCAL) return undefined;
  if (fixed[13] === TCP_OVER_IPV4 && addresses.length >= 12) return addresses.subarray(0, 4).join('.');
  if (fixed[13] === TCP_OVER_IPV6 && addresses.length >= 36) {
    return Array.from({ length: 8 }, (_, at) => addresses.readUInt16BE(at * 2).toString(16)).join(':');
  }
  return undefined;
}
