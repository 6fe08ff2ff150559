import type { Socket } from 'node:net';

/** The first byte of a CONNECT packet of MQTT. */
const CONNECT = 0x10;

class NotConnectPacketError extends Error {}

/**
 * Waits until a whole CONNECT packet has arrived, and leaves it in the socket for the broker. Rejects if the connection
 * begins with something else, if the packet is longer than `maxBytes`, or if it does not arrive in time. So clients that
 * do not send a login cost a few kilobytes, and the broker never sees them.
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
      for (;;) {
        const chunk = readChunk(socket);
        if (chunk === null) return;
        chunks.push(chunk);
        bytes += chunk.length;
        const packetBytes = lengthOf(chunks.length === 1 ? chunk : Buffer.concat(chunks));
        if (packetBytes > maxBytes || bytes > maxBytes)
          return finish(new NotConnectPacketError('the connection does not begin with a CONNECT of allowed size'));
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
  // The length has up to four bytes with seven bits each, the least significant first. The eighth bit means that one more follows.
  for (let index = 1; index <= 4; index++) {
    const byte = packet[index];
    if (byte === undefined) return 0;
    length += (byte & 0x7f) * 128 ** (index - 1);
    if (byte < 0x80) return 1 + index + length;
  }
  return Number.POSITIVE_INFINITY;
}
