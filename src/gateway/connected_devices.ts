import type { Client } from 'aedes';

/**
 * The connected devices by user name. A device counts as connected from the event `client` of aedes until its socket closes. The broker may
 * close a client after `authenticate` and before that event, for example because too many packets follow the CONNECT. Such a client must
 * not replace the device's open connection here, because a revocation would then leave the open connection open.
 */
export class ConnectedDevices {
  readonly #clients = new Map<string, Set<Client>>();
  readonly #onChange: (connections: number) => void;
  #size = 0;

  constructor(onChange: (connections: number) => void) {
    this.#onChange = onChange;
  }

  /** Called when the broker has registered the client. */
  add(userName: string, client: Client): void {
    if (client.conn.destroyed) return;
    const clients = this.#clients.get(userName) ?? new Set();
    clients.add(client);
    this.#clients.set(userName, clients);
    this.#size++;
    this.#onChange(this.#size);
    client.conn.once('close', () => {
      clients.delete(client);
      if (clients.size === 0 && this.#clients.get(userName) === clients) this.#clients.delete(userName);
      this.#size--;
      this.#onChange(this.#size);
    });
  }

  all(): readonly Client[] {
    return [...this.#clients.values()].flatMap((clients) => [...clients]);
  }

  /** The clients of a user name: usually one, and two for a moment while a device replaces its connection. */
  clientsOf(userName: string): readonly Client[] {
    return [...(this.#clients.get(userName) ?? [])];
  }
}
