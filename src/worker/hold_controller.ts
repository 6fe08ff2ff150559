import { Client } from 'pg';
import type { BaseLogger } from 'pino';
import { connectionConfig } from '../db/pool.ts';
import { Outage } from '../health/outage.ts';
import { type NotificationHold, readOpenHold } from './holds.ts';
import { lockSending, type SendingLock, unlockSending } from './sending_locks.ts';

/** The time within which a worker notices that notifications are held or released. */
const POLL_MS = 500;
const STATEMENT_TIMEOUT_MS = 5_000;

/** A part of the worker that sends notifications and can be stopped. */
export interface PausableSender {
  lock: SendingLock;
  start(): Promise<void> | void;
  /** Sends nothing new, and resolves when everything that is being sent has ended. */
  stop(): Promise<void>;
}

interface SenderState {
  senders: PausableSender[];
  lock: SendingLock;
  isLocked: boolean;
  isOpen: boolean;
}

/**
 * Starts and stops senders when operators release and hold notifications. It holds the locks of its senders (sending_locks.ts) on its
 * own connection, and polls for a hold twice a second.
 *
 * While this connection is lost, the senders continue, because an outage of the database must not stop a mail that is being sent. A
 * worker without this connection can therefore send for up to a second after a hold, until it is connected again.
 */
export class HoldController {
  readonly #url: string;
  readonly #logger: BaseLogger;
  readonly #outage: Outage;
  readonly #states: SenderState[];
  #client: Client | null = null;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> = Promise.resolve();
  #isClosed = false;
  #wasHeld = false;

  constructor(url: string, senders: readonly PausableSender[], logger: BaseLogger) {
    this.#url = url;
    this.#logger = logger;
    this.#outage = new Outage(logger, 'looking whether notifications are held');
    this.#states = [...new Set(senders.map(({ lock }) => lock))].map((lock) => ({
      lock,
      senders: senders.filter((sender) => sender.lock === lock),
      isLocked: false,
      isOpen: false,
    }));
  }

  /** Starts the senders that are not held. Throws if a sender cannot start. */
  async start(): Promise<void> {
    await this.#check();
    this.#scheduleCheck();
  }

  /** Stops all senders, and waits until everything that is being sent has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#checking;
    await Promise.all(this.#states.flatMap(({ senders }) => senders.map((sender) => sender.stop())));
    await this.#disconnect();
  }

  #scheduleCheck(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#checking = this.#check()
        .then(
          () => this.#outage.worked(),
          async (error: unknown) => {
            this.#outage.failed(error);
            await this.#disconnect();
          },
        )
        .finally(() => this.#scheduleCheck());
    }, POLL_MS);
  }

  async #check(): Promise<void> {
    const client = this.#client ?? (await this.#connect());
    const hold = await readOpenHold(client);
    for (const state of this.#states) {
      if (isHeld(hold, state.lock)) await this.#shut(state, client);
      else await this.#open(state, client);
    }
    this.#logChange(hold);
  }

  /** Reads the hold again under the lock, because a hold that began before the lock has not waited for this worker. */
  async #open(state: SenderState, client: Client): Promise<void> {
    if (!state.isLocked) {
      await lockSending(client, state.lock);
      state.isLocked = true;
      if (isHeld(await readOpenHold(client), state.lock)) return this.#shut(state, client);
    }
    if (state.isOpen) return;
    for (const sender of state.senders) await sender.start();
    state.isOpen = true;
  }

  async #shut(state: SenderState, client: Client): Promise<void> {
    if (state.isOpen) await Promise.all(state.senders.map((sender) => sender.stop()));
    state.isOpen = false;
    if (state.isLocked) await unlockSending(client, state.lock);
    state.isLocked = false;
  }

  async #connect(): Promise<Client> {
    const client = new Client(
      connectionConfig({
        url: this.#url,
        applicationName: 'tankwatch worker sending',
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      }),
    );
    client.on('error', () => {});
    client.once('end', () => {
      if (this.#client === client) this.#forget();
    });
    await client.connect();
    this.#client = client;
    return client;
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#forget();
    await client?.end().catch(() => {});
  }

  /** The locks end with the connection. */
  #forget(): void {
    this.#client = null;
    for (const state of this.#states) state.isLocked = false;
  }

  #logChange(hold: NotificationHold | undefined): void {
    const isHeldNow = hold !== undefined;
    if (isHeldNow === this.#wasHeld) return;
    this.#wasHeld = isHeldNow;
    if (hold)
      this.#logger.warn({ held_at: hold.held_at }, 'notifications are held: nothing is sent until their release');
    else this.#logger.info('notifications are released');
  }
}

const isHeld = (hold: NotificationHold | undefined, lock: SendingLock): boolean =>
  hold !== undefined && (lock === 'notifications' || hold.holds_sign_in_mails);
