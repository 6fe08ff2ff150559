/** The window of an unloaded stream, and so the delay of an acknowledgement. */
const MIN_WINDOW_MS = 20;
/** No device waits longer than this for its message to be sent. */
const MAX_WINDOW_MS = 250;
/**
 * The window is four times as long as the stream needs to store a message. So each gateway has about a quarter of a
 * message waiting for the disk: if the stream gets slower, because many gateways use it, all of them send fewer and larger
 * messages, and the rate stays at what the disk can do.
 */
const WINDOW_PER_LATENCY = 4;
/** Weight of the newest message in the average. */
const NEWEST_WEIGHT = 0.2;

/**
 * How long a message stays open for more readings. A gateway does not know how many others there are. It knows how long
 * the stream takes to store a message.
 */
export class GatherWindow {
  #latencyMs = 0;
  /** When each message that is not stored yet was sent, oldest first. */
  readonly #unstored = new Set<{ sentAtMs: number }>();

  /** The window of a message that opens now. A message that waits for long counts before it is stored. */
  currentMs(nowMs: number): number {
    const [oldest] = this.#unstored;
    const waitingMs = oldest === undefined ? 0 : nowMs - oldest.sentAtMs;
    const latencyMs = Math.max(this.#latencyMs, waitingMs);
    return Math.min(MAX_WINDOW_MS, Math.max(MIN_WINDOW_MS, WINDOW_PER_LATENCY * latencyMs));
  }

  /** Records that a message is sent. Call the returned function when the stream has stored or refused it. */
  sent(nowMs: number): (endedAtMs: number) => void {
    const message = { sentAtMs: nowMs };
    this.#unstored.add(message);
    return (endedAtMs) => {
      this.#unstored.delete(message);
      // Limited, so that the window shrinks within seconds after an outage.
      const latencyMs = Math.min(endedAtMs - nowMs, MAX_WINDOW_MS / WINDOW_PER_LATENCY);
      this.#latencyMs += NEWEST_WEIGHT * (latencyMs - this.#latencyMs);
    };
  }
}
