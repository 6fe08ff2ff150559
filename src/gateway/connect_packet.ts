import type { Socket } from 'node:net';

/** The first byte of MQTT's CONNECT. */
const CONNECT = 0x10;

class NotConnectPacketError extends Error {}

/**
 * Waits until a whole CONNECT packet has arrived, and leaves it in the socket for the broker. Rejects if the connection
 * begins with something else, if the packet claims more than `maxBytes`, or if it does not arrive in time. So clients
 * that do not send a login cost a few kilobytes and no client of the broker.
 */
export function waitForConnect(socket: Socket, maxBytes: number, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (error?: Error): void => {
      clearTimeout(timer);
      socket.off('readable', read).off('close', fail);
      if (error) return reject(error);
      socket.unshift(Buffer.concat(chunks));
      resolve();
    };
    const fail = (): void => finish(new NotConnectPacketError('the CONNECT did not arrive in time'));
    const timer = setTimeout(fail, timeoutMs);
    const read = (): void => {
      for (let chunk = readChunk(socket); chunk !== null; chunk = readChunk(socket)) {
        chunks.push(chunk);
        bytes += chunk.length;
        const packetBytes = lengthOf(chunks.length === 1 ? chunk : Buffer.concat(chunks));
        if (packetBytes > maxBytes || bytes > maxBytes) return finish(new NotConnectPacketError('this is no CONNECT'));
        if (packetBytes > 0 && bytes >= packetBytes) return finish();
      }
    };
    socket.on('readable', read).once('close', fail);
    read();
  });
}

function readChunk(socket: Socket): Buffer | null {
  const chunk: unknown = socket.read();
  return chunk instanceof Buffer ? chunk : null;
}

/** The length of the whole packet: 0 until the bytes with the length have arrived, infinite if it is not a CONNECT. */
function lengthOf(packet: Buffer): number {
  if (packet[0] !== CONNECT) return Number.POSITIVE_INFINITY;
  let length = 0;
  // Up to four bytes with seven bits each, the least significant first; the eighth bit says that one more follows.
  for (let at = 1; at <= 4; at++) {
    const byte = packet[at];
    if (byte === undefined) return 0;
    length += (byte & 0x7f) * 128 ** (at - 1);
    if (byte < 0x80) return 1 + at + length;
  }
  return Number.POSITIVE_INFINITY;
}
