import type { Outage } from '../health/outage.ts';

/** Claims due work when it is woken, with one claim at a time. */
export class ClaimLoop {
  readonly #claim: () => Promise<boolean>;
  readonly #outage: Outage;
  #claiming: Promise<void> | null = null;
  #mustClaimAgain = false;
  #isStopped = true;

  /** `claim` claims work up to the capacity, starts it, and returns whether more may be due. */
  constructor(claim: () => Promise<boolean>, outage: Outage) {
    this.#claim = claim;
    this.#outage = outage;
  }

  start(): void {
    this.#isStopped = false;
    this.wake();
  }

  /** A call during a running claim causes one more claim. */
  wake(): void {
    this.#mustClaimAgain = true;
    this.#claiming ??= this.#claimUntilDone().finally(() => {
      this.#claiming = null;
    });
  }

  /** Claims nothing more, and waits for the running claim. It can be started again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#claiming;
  }

  async #claimUntilDone(): Promise<void> {
    while (this.#mustClaimAgain && !this.#isStopped) {
      this.#mustClaimAgain = false;
      try {
        if (await this.#claim()) this.#mustClaimAgain = true;
        this.#outage.worked();
      } catch (error) {
        this.#outage.failed(error);
      }
    }
  }
}
