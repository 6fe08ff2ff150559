import type { Socket } from 'node:net';

/** A gateway keeps up to 1 MiB of each unfinished request in memory. */
const MAX_UNFINISHED = 128;
const MAX_PER_SENDER = 32;

/**
 * The requests whose body has not arrived. They cause no load yet, but they need memory. If there are too many, the
 * connection of the oldest request of the sender with the most requests is closed. The body of an ordinary request
 * arrives within moments.
 */
export class UnfinishedRequests {
  /** The sockets of each sender, oldest first. */
  readonly #sockets = new Map<string, Set<Socket>>();
  #total = 0;

  add(sender: string, socket: Socket): void {
    const ofSender = this.#sockets.get(sender) ?? new Set();
    this.#sockets.set(sender, ofSender.add(socket));
    this.#total++;
    if (ofSender.size > MAX_PER_SENDER) this.#dropOldest(sender);
    else if (this.#total > MAX_UNFINISHED) this.#dropOldest(this.#largestSender());
  }

  /** Removes a request whose body has arrived or will not arrive. */
  delete(sender: string, socket: Socket): void {
    const ofSender = this.#sockets.get(sender);
    if (ofSender?.delete(socket) !== true) return;
    this.#total--;
    if (ofSender.size === 0) this.#sockets.delete(sender);
  }

  #dropOldest(sender: string): void {
    const [oldest] = this.#sockets.get(sender) ?? [];
    if (oldest === undefined) return;
    this.delete(sender, oldest);
    oldest.destroy();
  }

  #largestSender(): string {
    let [largest, most] = ['', 0];
    for (const [sender, { size }] of this.#sockets) if (size > most) [largest, most] = [sender, size];
    return largest;
  }
}
