import { DAY_MS } from '../values/time.ts';

/** The largest number of tracked senders. Above it, all allowances are reset. */
const MAX_SENDERS = 100_000;

/** The allowance of each sender for a day (UTC). Its use is counted in this process only, and is reset by a restart. */
export class DailyAllowance {
  readonly #limit: number;
  readonly #used = new Map<string, number>();
  #day = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** `isAllowed` is false if the sender has used up its allowance. `isFirst` is true at the first refusal of the day. */
  take(sender: string, cost: number, nowMs: number): { isAllowed: boolean; isFirst: boolean } {
    const day = Math.floor(nowMs / DAY_MS);
    if (day !== this.#day || this.#used.size >= MAX_SENDERS) this.#used.clear();
    this.#day = day;
    const used = this.#used.get(sender) ?? 0;
    this.#used.set(sender, used + cost);
    return { isAllowed: used + cost <= this.#limit, isFirst: used <= this.#limit && used + cost > this.#limit };
  }
}
