/** The time between two looks at the event loop. */
const TICK_MS = 50;
/** A tick that comes later than this means that requests wait for the CPU. Garbage collection alone stays below it. */
const MAX_LAG_MS = 70;
/** This process must also use the CPU: on a machine that has no CPU for it, ticks are late without any request. */
const MIN_CPU_SHARE = 0.7;
/** One late tick is a pause. So many in a row are overload. */
const LATE_TICKS = 3;
/** After so many ticks with few requests in progress, the overload has ended. Each tick with many undoes three of them. */
const CALM_TICKS = 40;
/** Reads that wait for the database. Each connection answers some thousand a second, so this is a wait of some 100 ms. */
const MAX_WAITING_READS = 256;
/** Requests that are being served, of all senders. */
const MAX_IN_PROGRESS = 256;
/**
 * During overload, as many requests are in progress as are served in the target time, so none waits for much longer. The
 * target is twice the mean time without overload, within these limits: less would leave the CPU idle between two requests.
 */
const [MIN_TARGET_MS, MAX_TARGET_MS] = [20, 200];
const TARGET_FACTOR = 2;
/** While requests are refused although the others are served in time, the limit grows: sixfold in a second. */
const LIMIT_GROWTH = 1.1;
/** A longer time, such as that of a large file, says nothing about the load. */
const MAX_COUNTED_MS = 500;
/** Never fewer than this, of all senders and of one sender: with fewer, connections to the database would be idle. */
const [MIN_IN_PROGRESS, MIN_SHARE] = [8, 2];
/** How fast the measured rate follows: a second. */
const RATE_SMOOTHING = 0.05;

export interface LoadShedderOptions {
  /** The number of reads that wait for the database now. */
  waitingReads?: () => number;
  /** The time in milliseconds. */
  nowMs?: () => number;
  /** The CPU time of this process since the last call, as a share of the time. */
  cpuShare?: () => number;
}

/**
 * Decides which requests to refuse before a process has so much work that every request becomes slow. It watches how late
 * timers of the event loop run, how many reads wait for the database, and how many requests are in progress. During
 * overload it limits the requests in progress to what can be served within the target latency. Each sender gets an equal
 * share of the limit, so senders with few requests are not refused, and those who send most are.
 */
export class LoadShedder {
  readonly #waitingReads: () => number;
  readonly #nowMs: () => number;
  readonly #cpuShare: () => number;
  readonly #inProgress = new Map<string, number>();
  #total = 0;
  #timer: NodeJS.Timeout | undefined;
  #tickAtMs = 0;
  #lateTicks = 0;
  #calmTicks = 0;
  #served = 0;
  #servedMs = 0;
  #servedPerSecond = 0;
  /** The mean time of a request while there is no overload. */
  #calmMs = 0;
  #refusedBefore = 0;
  #limit = MAX_IN_PROGRESS;
  isOverloaded = false;
  /** How many requests were refused since the overload began. */
  refused = 0;
  /** Called when an overload begins, and when it has ended. */
  onChange: (isOverloaded: boolean, refused: number) => void = () => {};

  constructor({
    waitingReads = () => 0,
    nowMs = () => performance.now(),
    cpuShare = processCpuShare(),
  }: LoadShedderOptions = {}) {
    this.#waitingReads = waitingReads;
    this.#nowMs = nowMs;
    this.#cpuShare = cpuShare;
    this.#tickAtMs = nowMs();
  }

  start(): void {
    this.#tickAtMs = this.#nowMs();
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Whether to serve this request. If so, call `end` after its response. */
  begin(sender: string): boolean {
    const ofSender = this.#inProgress.get(sender) ?? 0;
    const share = Math.max(MIN_SHARE, this.#limit / (this.#inProgress.size + (ofSender === 0 ? 1 : 0)));
    if (this.#total >= this.#limit && ofSender >= share) {
      if (!this.isOverloaded) this.#change(true);
      this.refused++;
      return false;
    }
    this.#inProgress.set(sender, ofSender + 1);
    this.#total++;
    return true;
  }

  /** `elapsedMs` is the time since `begin`. */
  end(sender: string, elapsedMs = 0): void {
    const ofSender = this.#inProgress.get(sender) ?? 0;
    if (ofSender > 1) this.#inProgress.set(sender, ofSender - 1);
    else this.#inProgress.delete(sender);
    this.#total--;
    this.#served++;
    this.#servedMs += Math.min(elapsedMs, MAX_COUNTED_MS);
  }

  tick(): void {
    const nowMs = this.#nowMs();
    const elapsedMs = Math.max(1, nowMs - this.#tickAtMs);
    this.#tickAtMs = nowMs;
    // A long tick counts for as many ticks as it took.
    const weight = 1 - (1 - RATE_SMOOTHING) ** (elapsedMs / TICK_MS);
    this.#servedPerSecond += ((this.#served * 1_000) / elapsedMs - this.#servedPerSecond) * weight;
    const meanMs = this.#served > 0 ? this.#servedMs / this.#served : this.#calmMs;
    if (!this.isOverloaded) this.#calmMs += (meanMs - this.#calmMs) * RATE_SMOOTHING;
    this.#served = 0;
    this.#servedMs = 0;

    const isLate = this.#cpuShare() > MIN_CPU_SHARE && elapsedMs - TICK_MS > MAX_LAG_MS;
    this.#lateTicks = isLate ? this.#lateTicks + 1 : 0;
    const isOver =
      this.#lateTicks >= LATE_TICKS || this.#waitingReads() > MAX_WAITING_READS || this.#total >= MAX_IN_PROGRESS;
    const isRefusing = this.refused > this.#refusedBefore;
    this.#refusedBefore = this.refused;
    if (isOver && !this.isOverloaded) this.#change(true);
    const targetMs = Math.min(MAX_TARGET_MS, Math.max(MIN_TARGET_MS, this.#calmMs * TARGET_FACTOR));
    if (this.isOverloaded && (isOver || meanMs > targetMs)) this.#setLimit((this.#servedPerSecond * targetMs) / 1_000);
    else if (isRefusing) this.#setLimit(this.#limit * LIMIT_GROWTH);
    // The load is still there while the limit is in use, though the limit itself keeps requests fast. Between short bursts
    // it is not.
    const isFull = this.#total >= this.#limit / 2;
    this.#calmTicks = Math.max(0, this.#calmTicks + (isOver || isFull ? -3 : 1));
    if (this.isOverloaded && this.#calmTicks >= CALM_TICKS) {
      this.#change(false);
      this.#limit = MAX_IN_PROGRESS;
    }
  }

  #setLimit(requests: number): void {
    this.#limit = Math.min(MAX_IN_PROGRESS, Math.max(MIN_IN_PROGRESS, requests));
  }

  #change(isOverloaded: boolean): void {
    this.isOverloaded = isOverloaded;
    this.onChange(isOverloaded, this.refused);
    this.refused = 0;
    this.#refusedBefore = 0;
    this.#calmTicks = 0;
  }
}

function processCpuShare(): () => number {
  let [last, lastMs] = [process.cpuUsage(), performance.now()];
  return () => {
    const { user, system } = process.cpuUsage(last);
    const elapsedMs = performance.now() - lastMs;
    [last, lastMs] = [process.cpuUsage(), performance.now()];
    return (user + system) / 1_000 / elapsedMs;
  };
}
