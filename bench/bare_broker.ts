import { createServer, type Socket } from 'node:net';

/**
 * A minimal MQTT broker in its own process. It accepts every client and acknowledges every publish, so that the cost of
 * the load client can be measured alone.
 */
function serve(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const responses: number[] = [];
    for (let packet = nextPacket(bytes); packet !== undefined; packet = nextPacket(bytes)) {
      responses.push(...responseBytes(packet));
      bytes = bytes.subarray(packet.end);
    }
    rest = bytes;
    if (responses.length > 0) socket.write(Buffer.from(responses));
  });
}

interface Packet {
  type: number;
  body: Buffer;
  end: number;
}

function nextPacket(bytes: Buffer): Packet | undefined {
  let [length, factor, index] = [0, 1, 1];
  for (;;) {
    const byte = bytes[index];
    if (byte === undefined) return undefined;
    index++;
    length += (byte & 0x7f) * factor;
    factor *= 128;
    if (byte < 0x80) break;
  }
  const end = index + length;
  return end > bytes.length ? undefined : { type: (bytes[0] ?? 0) >> 4, body: bytes.subarray(index, end), end };
}

function responseBytes({ type, body }: Packet): number[] {
  if (type === 1) return [0x20, 2, 0, 0]; // CONNECT
  if (type === 12) return [0xd0, 0]; // PINGREQ
  if (type !== 3) return []; // only PUBLISH is left to answer
  const packetIdIndex = 2 + body.readUInt16BE(0);
  return [0x40, 2, body[packetIdIndex] ?? 0, body[packetIdIndex + 1] ?? 0];
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
process.on('disconnect', () => process.exit());
