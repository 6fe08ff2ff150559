// The part of MQTT 3.1.1 that a publisher needs. The load client does not use the `mqtt` package, because it must know
// for each publish whether it was acknowledged, sent or never sent, and because it should use little CPU time: the package
// uses about 1.5 times as much per publish (`npm run bench -- load`).

export interface ConnectFields {
  clientId: string;
  username: string;
  password: string;
  keepAliveSeconds: number;
}

/** An encoded publish. When it is sent again, only the packet id and the duplicate flag change. */
export interface PublishPacket {
  bytes: Buffer;
  packetIdIndex: number;
}

/** The packets that a broker sends to a publisher. */
export type Incoming =
  | { kind: 'connack'; returnCode: number }
  | { kind: 'puback'; packetId: number }
  | { kind: 'pingresp' };

export class MalformedPacketError extends Error {}

export const PING_REQUEST = Buffer.from([0xc0, 0]);
export const DISCONNECT = Buffer.from([0xe0, 0]);

const CLEAN_SESSION_WITH_LOGIN = 0b1100_0010;
const PUBLISH_QOS_1 = 0x32;
const DUPLICATE = 0x08;
const MAX_REMAINING_LENGTH = 268_435_455;

export function connectPacket({ clientId, username, password, keepAliveSeconds }: ConnectFields): Buffer {
  const variable = Buffer.from([0, 4, 0x4d, 0x51, 0x54, 0x54, 4, CLEAN_SESSION_WITH_LOGIN, 0, 0]);
  variable.writeUInt16BE(keepAliveSeconds, 8);
  const rest = Buffer.concat([variable, text(clientId), text(username), text(password)]);
  return Buffer.concat([header(0x10, rest.length), rest]);
}

/** A publish with QoS 1, without a packet id. `stampPublish` sets it. */
export function publishPacket(topic: string, payload: string): PublishPacket {
  const topicBytes = Buffer.byteLength(topic);
  const length = 2 + topicBytes + 2 + Buffer.byteLength(payload);
  const head = header(PUBLISH_QOS_1, length);
  const bytes = Buffer.allocUnsafe(head.length + length);
  head.copy(bytes);
  bytes.writeUInt16BE(topicBytes, head.length);
  bytes.write(topic, head.length + 2);
  const packetIdIndex = head.length + 2 + topicBytes;
  bytes.write(payload, packetIdIndex + 2);
  return { bytes, packetIdIndex };
}

/** Do not call this while the same packet is still being written to a socket: it changes the same memory. */
export function stampPublish({ bytes, packetIdIndex }: PublishPacket, packetId: number, isAgain: boolean): void {
  bytes[0] = isAgain ? PUBLISH_QOS_1 | DUPLICATE : PUBLISH_QOS_1;
  bytes.writeUInt16BE(packetId, packetIdIndex);
}

/** Splits received chunks of any size into packets. */
export class PacketReader {
  #rest: Buffer = Buffer.alloc(0);

  read(chunk: Buffer, onPacket: (packet: Incoming) => void): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    while (start + 2 <= bytes.length) {
      const type = bytes.readUInt8(start);
      // The length of every packet for a publisher fits into one byte.
      const length = bytes.readUInt8(start + 1);
      if (length > 127) throw new MalformedPacketError(`a packet of type ${type} is too long for a publisher`);
      const end = start + 2 + length;
      if (end > bytes.length) break;
      onPacket(parsePacket(type, bytes.subarray(start + 2, end)));
      start = end;
    }
    this.#rest = bytes.subarray(start);
  }
}

function parsePacket(type: number, body: Buffer): Incoming {
  if (type === 0x20 && body.length === 2) return { kind: 'connack', returnCode: body.readUInt8(1) };
  if (type === 0x40 && body.length === 2) return { kind: 'puback', packetId: body.readUInt16BE(0) };
  if (type === 0xd0 && body.length === 0) return { kind: 'pingresp' };
  throw new MalformedPacketError(`a packet of type ${type} and ${body.length} bytes is not for a publisher`);
}

function header(type: number, length: number): Buffer {
  if (length > MAX_REMAINING_LENGTH) throw new RangeError(`MQTT cannot carry ${length} bytes in one packet`);
  const bytes = [type];
  let left = length;
  do {
    const low = left % 128;
    left = Math.floor(left / 128);
    bytes.push(left > 0 ? low | 0x80 : low);
  } while (left > 0);
  return Buffer.from(bytes);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length > 65_535) throw new RangeError(`MQTT cannot carry a text of ${bytes.length} bytes`);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
