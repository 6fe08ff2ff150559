import { setTimeout as sleep } from 'node:timers/promises';
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Outage } from '../health/outage.ts';
import { UserError } from '../values/user_error.ts';
import { connectToServer } from './connection.ts';
import type { NatsAddress } from './server_errors.ts';

const REOPEN_DELAY_MS = 500;
/** nats-server answers within milliseconds. */
const REQUEST_TIMEOUT_MS = 3_000;

/** The clients of one connection. A new connection has new clients. */
interface Clients {
  connection: NatsConnection;
  jetstream: JetStreamClient;
  manager: JetStreamManager;
}

export interface ServerConnectionOptions extends NatsAddress {
  clientName: string;
  /** Wait until nats-server is up instead of failing. */
  waitForServer: boolean;
  /** Reports the time without a connection. */
  outage: Outage;
}

/**
 * A connection to nats-server that is restored as soon as nats-server accepts it. The client library reconnects by
 * itself after most failures, but it closes the connection for good after two refused logins in a row, for example
 * while a password is changed. This class then opens another connection.
 */
export class ServerConnection {
  readonly #options: ServerConnectionOptions;
  #clients: Clients;
  #isClosed = false;

  private constructor(options: ServerConnectionOptions, clients: Clients) {
    this.#options = options;
    this.#clients = clients;
    void this.#follow(clients.connection);
  }

  static async open(options: ServerConnectionOptions): Promise<ServerConnection> {
    for (;;) {
      try {
        const connection = new ServerConnection(options, await openClients(options));
        options.outage.worked();
        return connection;
      } catch (error) {
        if (!options.waitForServer || error instanceof UserError) throw error;
        options.outage.failed(error);
        await sleep(REOPEN_DELAY_MS);
      }
    }
  }

  get isConnected(): boolean {
    return !this.#clients.connection.isClosed() && !this.#options.outage.isOn;
  }

  /** The reason why there is no connection, if it is known. */
  get reason(): string | undefined {
    return this.#options.outage.reason;
  }

  get jetstream(): JetStreamClient {
    return this.#clients.jetstream;
  }

  get manager(): JetStreamManager {
    return this.#clients.manager;
  }

  /** Sends what is buffered, such as acknowledgements, and closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const { connection } = this.#clients;
    if (this.isConnected)
      await Promise.race([connection.flush().catch(() => {}), sleep(1_000, undefined, { ref: false })]);
    await connection.close();
  }

  async #follow(connection: NatsConnection): Promise<void> {
    const { outage } = this.#options;
    void (async () => {
      for await (const { type } of connection.status()) {
        if (type === 'disconnect') outage.failed();
        if (type === 'reconnect') outage.worked();
      }
    })();
    const reason = await connection.closed();
    if (this.#isClosed) return;
    outage.failed(reason);
    await this.#reopen();
  }

  async #reopen(): Promise<void> {
    while (!this.#isClosed) {
      try {
        this.#clients = await openClients(this.#options);
      } catch (error) {
        this.#options.outage.failed(error);
        await sleep(REOPEN_DELAY_MS, undefined, { ref: false });
        continue;
      }
      if (this.#isClosed) return this.#clients.connection.close();
      this.#options.outage.worked();
      void this.#follow(this.#clients.connection);
      return;
    }
  }
}

async function openClients(options: ServerConnectionOptions): Promise<Clients> {
  const connection = await connectToServer(options, options.clientName);
  return {
    connection,
    jetstream: jetstream(connection, { timeout: REQUEST_TIMEOUT_MS }),
    manager: await jetstreamManager(connection, { checkAPI: false, timeout: REQUEST_TIMEOUT_MS }),
  };
}
