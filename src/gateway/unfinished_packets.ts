import type { Socket } from 'node:net';
import { MAX_DEVICE_PAYLOAD_BYTES } from '../telemetry/payload_limits.ts';

/** The largest part of a packet that is kept. It has room for topic, packet id, and a payload that is just too large. */
const MAX_KEPT_BYTES = MAX_DEVICE_PAYLOAD_BYTES + 512;
/** A payload that is too large is recorded as rejected. A packet above this size closes the connection instead. */
const MAX_PACKET_BYTES = 4 * MAX_DEVICE_PAYLOAD_BYTES;
/** The time limit of a packet: 64 KiB take 26 s on a slow modem with 20 kbit/s. */
const MAX_PACKET_MS = 30_000;
/** The limit for all connections. Above it, the connection with the oldest unfinished packet is closed. */
const MAX_TOTAL_BYTES = 64 * 1_024 * 1_024;
/** The size of a header: the first byte of a packet, and up to four bytes with its length. */
const MAX_HEADER_BYTES = 5;

interface Unfinished {
  socket: Socket;
  sinceMs: number;
  bytes: number;
}

/**
 * Limits the packets that have not arrived completely. The MQTT parser would keep up to 256 MiB of each packet. This class passes on at
 * most 64 KiB of a packet, and closes connections whose packets are too large or too slow. All devices that stop in the middle of a
 * packet take at most 64 MiB together.
 */
export class UnfinishedPackets {
  /** The unfinished packets, oldest first. */
  readonly #packets = new Map<PacketReader, Unfinished>();
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;

  constructor(maxPacketMs = MAX_PACKET_MS) {
    this.#timer = setInterval(
      () => {
        for (const { socket, sinceMs } of this.#packets.values()) {
          if (performance.now() - sinceMs < maxPacketMs) return;
          socket.destroy();
        }
      },
      Math.min(1_000, maxPacketMs / 2),
    ).unref();
  }

  /** Watches a socket. It must be called before anything is read from the socket. */
  watch(socket: Socket): void {
    const reader = new PacketReader();
    const read = socket.read.bind(socket);
    socket.read = (size?: number): unknown => {
      const chunk: unknown = read(size);
      if (!(chunk instanceof Buffer)) return chunk;
      const passed = reader.pass(chunk);
      this.#count(reader, socket);
      if (passed === undefined) socket.destroy();
      return passed === undefined || passed.length === 0 ? null : passed;
    };
    socket.once('close', () => this.#forget(reader));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #count(reader: PacketReader, socket: Socket): void {
    const known = this.#packets.get(reader);
    if (known !== undefined && reader.isSamePacket) {
      this.#bytes += reader.keptBytes - known.bytes;
      known.bytes = reader.keptBytes;
    } else {
      this.#forget(reader);
      if (!reader.isUnfinished || socket.destroyed) return;
      this.#packets.set(reader, { socket, sinceMs: performance.now(), bytes: reader.keptBytes });
      this.#bytes += reader.keptBytes;
    }
    for (const [oldest, packet] of this.#packets) {
      if (this.#bytes <= MAX_TOTAL_BYTES) return;
      this.#forget(oldest);
      packet.socket.destroy();
    }
  }

  #forget(reader: PacketReader): void {
    const known = this.#packets.get(reader);
    if (known === undefined) return;
    this.#packets.delete(reader);
    this.#bytes -= known.bytes;
  }
}

/** Tracks where the packets of a connection begin and end, and cuts packets that are too large. */
export class PacketReader {
  /** The beginning of a packet, while its length is not known. It is not passed on yet. */
  #header: number[] = [];
  /** The number of further bytes of the packet to pass on. */
  #toPass = 0;
  /** The number of bytes of the packet to leave out after them. */
  #toSkip = 0;
  keptBytes = 0;
  /** True if the last chunk belongs to the packet that was unfinished before it. */
  isSamePacket = false;

  get isUnfinished(): boolean {
    return this.#header.length + this.#toPass + this.#toSkip > 0;
  }

  /** Returns the bytes that the parser gets instead of the chunk. Undefined if the connection must be closed. */
  pass(chunk: Buffer): Buffer | undefined {
    const parts: Buffer[] = [];
    this.isSamePacket = this.isUnfinished;
    // Both are positions in the chunk: the end of the bytes that are passed on or left out already, and the next byte.
    let passedUpTo = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#toPass > 0) {
        const bytes = Math.min(this.#toPass, chunk.length - at);
        this.#toPass -= bytes;
        this.keptBytes += bytes;
        at += bytes;
      } else if (this.#toSkip > 0) {
        const bytes = Math.min(this.#toSkip, chunk.length - at);
        this.#toSkip -= bytes;
        parts.push(chunk.subarray(passedUpTo, at));
        at += bytes;
        passedUpTo = at;
      } else {
        const isWhole = this.#header.length === 0;
        const beginsAt = at;
        let length: number | undefined;
        while (length === undefined && at < chunk.length) {
          this.#header.push(chunk[at] ?? 0);
          at++;
          length = lengthOf(this.#header);
        }
        if (length === undefined || length > MAX_KEPT_BYTES || !isWhole) {
          parts.push(chunk.subarray(passedUpTo, beginsAt));
          passedUpTo = at;
        }
        if (length === undefined) {
          if (this.#header.length >= MAX_HEADER_BYTES) return undefined;
          break;
        }
        if (length > MAX_PACKET_BYTES) return undefined;
        this.#toPass = Math.min(length, MAX_KEPT_BYTES);
        this.#toSkip = length - this.#toPass;
        if (this.#toSkip > 0) parts.push(headerOf(this.#header[0] ?? 0, this.#toPass));
        else if (!isWhole) parts.push(Buffer.from(this.#header));
        this.#header = [];
        this.keptBytes = 0;
      }
      if (!this.isUnfinished) {
        this.isSamePacket = false;
        this.keptBytes = 0;
      }
    }
    return parts.length === 0 ? chunk : Buffer.concat([...parts, chunk.subarray(passedUpTo)]);
  }
}

/** The length after the first byte: seven bits in each byte, the least significant first. Undefined if bytes are missing. */
function lengthOf(header: readonly number[]): number | undefined {
  const last = header.at(-1) ?? 0;
  if (header.length < 2 || last >= 0x80) return undefined;
  return header.slice(1).reduce((length, byte, index) => length + (byte & 0x7f) * 128 ** index, 0);
}

function headerOf(firstByte: number, length: number): Buffer {
  const bytes = [firstByte];
  let left = length;
  while (left >= 0x80) {
    bytes.push((left & 0x7f) | 0x80);
    left >>= 7;
  }
  return Buffer.from([...bytes, left]);
}
