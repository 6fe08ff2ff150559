/** The window while the stream is not loaded. It delays each acknowledgement by up to this time. */
const MIN_WINDOW_MS = 20;
/** The longest time that a reading waits before its message is sent. */
const MAX_WINDOW_MS = 250;
/**
 * The window is four times as long as the stream needs to store a message, so the stream is busy with the messages of one
 * gateway for about a quarter of the time. If many gateways make the stream slower, all of them send fewer and larger
 * messages, and the message rate stays within the capacity of the disk.
 */
const WINDOW_PER_LATENCY = 4;
/** The weight of the newest message in the moving average. */
const NEWEST_WEIGHT = 0.2;

/**
 * The time for which a message stays open for more readings. A gateway does not know the number of gateways, but it
 * measures how long the stream takes to store a message.
 */
export class GatherWindow {
  #latencyMs = 0;
  /** The messages that are not stored yet, oldest first. */
  readonly #unstored = new Set<{ sentAtMs: number }>();

  /** The window of a message that opens now. The oldest unstored message already counts with its waiting time. */
  currentMs(nowMs: number): number {
    const [oldest] = this.#unstored;
    const waitingMs = oldest === undefined ? 0 : nowMs - oldest.sentAtMs;
    const latencyMs = Math.max(this.#latencyMs, waitingMs);
    return Math.min(MAX_WINDOW_MS, Math.max(MIN_WINDOW_MS, WINDOW_PER_LATENCY * latencyMs));
  }

  /** Records that a message is sent. The caller calls the returned function when the stream has stored or refused it. */
  recordSent(nowMs: number): (endedAtMs: number) => void {
    const message = { sentAtMs: nowMs };
    this.#unstored.add(message);
    return (endedAtMs) => {
      this.#unstored.delete(message);
      // The latency is limited, so that the window shrinks within seconds after an outage.
      const latencyMs = Math.min(endedAtMs - nowMs, MAX_WINDOW_MS / WINDOW_PER_LATENCY);
      this.#latencyMs += NEWEST_WEIGHT * (latencyMs - this.#latencyMs);
    };
  }
}
