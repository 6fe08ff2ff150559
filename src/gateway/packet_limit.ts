import type { Socket } from 'node:net';

/** So many a second, and ten seconds' worth at once. */
export class PublishRate {
  readonly #perSecond: number;
  #tokens: number;
  #filledAtMs = Date.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#tokens = perSecond * 10;
  }

  /** How long to wait before this one. */
  takeMs(nowMs: number): number {
    const refill = ((nowMs - this.#filledAtMs) / 1_000) * this.#perSecond;
    this.#tokens = Math.min(this.#perSecond * 10, this.#tokens + Math.max(0, refill)) - 1;
    this.#filledAtMs = nowMs;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#perSecond) * 1_000;
  }
}

/** An MQTT parser collects a packet of any length it claims, up to 256 MiB. This ends the connection long before. */
export class PacketLimit {
  readonly #socket: Socket;
  #bytesAtLastPacket = 0;

  constructor(socket: Socket, maxBytes: number) {
    this.#socket = socket;
    socket.on('readable', () => {
      if (socket.bytesRead - this.#bytesAtLastPacket > maxBytes) socket.destroy();
    });
  }

  packetEnded(): void {
    this.#bytesAtLastPacket = this.#socket.bytesRead;
  }
}
