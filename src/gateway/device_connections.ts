import type { Client } from 'aedes';
import { deviceUserName } from '../keys/device_password.ts';
import type { Device } from '../keys/device_verifier.ts';

export interface DeviceConnection {
  device: Device;
  userName: string;
}

/**
 * The connected devices. A device counts as connected from aedes' event `client` until its socket closes. The broker may
 * close a client after `authenticate` and before that event, for example because too many packets follow the CONNECT.
 * Such a client must not replace the device's open connection here: a revocation would then close the wrong one.
 */
export class DeviceConnections {
  /** Weak, so that clients that the broker gives up take no memory. */
  readonly #verified = new WeakMap<Client, DeviceConnection>();
  readonly #clients = new Map<string, Set<Client>>();
  readonly #onChange: (connections: number) => void;
  #size = 0;

  constructor(onChange: (connections: number) => void) {
    this.#onChange = onChange;
  }

  /** The password of the client is right. */
  verified(client: Client, device: Device): void {
    this.#verified.set(client, { device, userName: deviceUserName(device.organizationCode, device.deviceId) });
  }

  /** The broker has registered the client. */
  registered(client: Client): void {
    const connection = this.#verified.get(client);
    if (connection === undefined || client.conn.destroyed) return;
    const clients = this.#clients.get(connection.userName) ?? new Set();
    clients.add(client);
    this.#clients.set(connection.userName, clients);
    this.#onChange(++this.#size);
    client.conn.once('close', () => {
      clients.delete(client);
      if (clients.size === 0 && this.#clients.get(connection.userName) === clients) {
        this.#clients.delete(connection.userName);
      }
      this.#onChange(--this.#size);
    });
  }

  get(client: Client): DeviceConnection | undefined {
    return this.#verified.get(client);
  }

  /** All connected clients. */
  all(): readonly Client[] {
    return [...this.#clients.values()].flatMap((clients) => [...clients]);
  }

  /** Usually one; two for a moment while a device replaces its connection. */
  clientsOf(userName: string): readonly Client[] {
    return [...(this.#clients.get(userName) ?? [])];
  }
}
