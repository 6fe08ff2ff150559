import type { Socket } from 'node:net';

/**
 * The MQTT parser buffers packets of up to 256 MiB. This class closes the connection before that: early for a stranger,
 * later for a device.
 */
export class PacketLimit {
  readonly #socket: Socket;
  #bytesAtLastPacket = 0;
  maxBytes: number;

  constructor(socket: Socket, maxBytes: number) {
    this.#socket = socket;
    this.maxBytes = maxBytes;
    socket.on('readable', () => {
      if (socket.bytesRead - this.#bytesAtLastPacket > this.maxBytes) socket.destroy();
    });
  }

  /** Call it when a packet is complete. */
  packetEnded(): void {
    this.#bytesAtLastPacket = this.#socket.bytesRead;
  }
}
