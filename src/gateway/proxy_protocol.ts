import { isIP, type Socket } from 'node:net';

/**
 * The first bytes of version 2 of the PROXY protocol, by which a TCP proxy passes on the address of the client. HAProxy and load
 * balancers send version 2, nginx sends version 1: https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt, section 2.
 */
const SIGNATURE = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]);
/** The bytes after the signature of version 2: command, family, and the length of the addresses. */
const FIXED_BYTES = 4;
/** TCP addresses take at most 36 bytes. Proxies may append their own data, such as the name of a TLS certificate. */
const MAX_ADDRESS_BYTES = 4_096;
const [VERSION_2_LOCAL, VERSION_2_PROXY] = [0x20, 0x21];
const [TCP_OVER_IPV4, TCP_OVER_IPV6] = [0x11, 0x21];
/** The longest line of version 1, with its line end. */
const MAX_LINE_BYTES = 107;

class InvalidProxyHeaderError extends Error {}

/** A complete header. The address is undefined if the header has none: the proxy itself has connected, for example to check health. */
interface ProxyHeader {
  address: string | undefined;
}

/**
 * Reads the header and leaves everything after it in the socket. Resolves with the address of the client; undefined if the header has no
 * address, or if there is no header and `isOptional` is true. Rejects if the header is invalid or does not arrive in time.
 */
export function readProxyHeader(socket: Socket, timeoutMs: number, isOptional: boolean): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const readHeader = headerReader(socket, isOptional);
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      socket.off('readable', read).off('close', fail);
      settle();
    };
    const fail = (): void => finish(() => reject(new InvalidProxyHeaderError('the PROXY header did not arrive')));
    const timer = setTimeout(fail, timeoutMs);
    const read = (): void => {
      try {
        const header = readHeader();
        if (header !== null) finish(() => resolve(header.address));
      } catch (error) {
        finish(() => reject(error instanceof Error ? error : new InvalidProxyHeaderError('unknown error')));
      }
    };
    socket.on('readable', read).once('close', fail);
    read();
  });
}

/** Returns a function that reads the bytes that have arrived, and returns null until the header is complete. */
function headerReader(socket: Socket, isOptional: boolean): () => ProxyHeader | null {
  // Every header of both versions is at least as long as the signature of version 2.
  let start: Buffer | null = null;
  let readRest: () => ProxyHeader | null;
  return () => {
    if (start === null) {
      start = readBytes(socket, SIGNATURE.length);
      if (start === null) return null;
      // A CONNECT of MQTT or a TLS handshake never begins like a header, and is longer than these bytes.
      if (isOptional && !start.equals(SIGNATURE) && !start.toString('latin1').startsWith('PROXY ')) {
        socket.unshift(start);
        return { address: undefined };
      }
      readRest = start.equals(SIGNATURE) ? version2Reader(socket) : version1Reader(socket, start);
    }
    return readRest();
  };
}

/** Reads this many bytes; null until they have arrived. */
function readBytes(socket: Socket, count: number): Buffer | null {
  const bytes: unknown = socket.read(count);
  return bytes instanceof Buffer ? bytes : null;
}

function version1Reader(socket: Socket, start: Buffer): () => ProxyHeader | null {
  let line = start.toString('latin1');
  if (!line.startsWith('PROXY '))
    throw new InvalidProxyHeaderError('the connection does not begin with a PROXY header');
  return () => {
    while (!line.endsWith('\r\n')) {
      const byte = readBytes(socket, 1);
      if (byte === null) return null;
      line += byte.toString('latin1');
      if (line.length > MAX_LINE_BYTES) throw new InvalidProxyHeaderError('the line of the PROXY header is too long');
    }
    return { address: lineAddress(line.trimEnd()) };
  };
}

function lineAddress(line: string): string | undefined {
  const [, family, source = ''] = line.split(' ');
  if (family === 'UNKNOWN') return undefined;
  if ((family === 'TCP4' && isIP(source) === 4) || (family === 'TCP6' && isIP(source) === 6)) return source;
  throw new InvalidProxyHeaderError('the PROXY header has no address');
}

function version2Reader(socket: Socket): () => ProxyHeader | null {
  let fixed: Buffer | null = null;
  return () => {
    fixed ??= readBytes(socket, FIXED_BYTES);
    if (fixed === null) return null;
    const length = checkedLength(fixed);
    const addresses = length === 0 ? Buffer.alloc(0) : readBytes(socket, length);
    return addresses === null ? null : { address: sourceAddress(fixed, addresses) };
  };
}

function checkedLength(fixed: Buffer): number {
  const isKnown = fixed[0] === VERSION_2_LOCAL || fixed[0] === VERSION_2_PROXY;
  const length = fixed.readUInt16BE(2);
  if (!isKnown || length > MAX_ADDRESS_BYTES) throw new InvalidProxyHeaderError('the PROXY header is invalid');
  return length;
}

function sourceAddress(fixed: Buffer, addresses: Buffer): string | undefined {
  if (fixed[0] === VERSION_2_LOCAL) return undefined;
  if (fixed[1] === TCP_OVER_IPV4 && addresses.length >= 12) return addresses.subarray(0, 4).join('.');
  if (fixed[1] === TCP_OVER_IPV6 && addresses.length >= 36) {
    return Array.from({ length: 8 }, (_, index) => addresses.readUInt16BE(index * 2).toString(16)).join(':');
  }
  return undefined;
}
