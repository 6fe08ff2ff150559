import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions as TlsOptions } from 'node:tls';
import {
  type ConnectFields,
  connectPacket,
  DISCONNECT,
  type Incoming,
  PacketReader,
  PING_REQUEST,
  type PublishPacket,
  stampPublish,
} from './mqtt_packets.ts';

export interface MqttConnectionOptions extends ConnectFields {
  /** mqtt://host:port, or mqtts:// for TLS. */
  url: string;
  tls?: TlsOptions;
  /** How long to wait for any answer of the broker before closing the connection. */
  timeoutMs: number;
  /** Aborts an attempt to connect. */
  signal: AbortSignal;
}

/** The connection ended before the answer arrived. The publish may or may not have reached the broker. */
export class ConnectionLostError extends Error {}

interface InFlight {
  sentAtMs: number;
  acknowledge: () => void;
  lose: (error: ConnectionLostError) => void;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'mqtt:': 1883, 'mqtts:': 8883 };
const DISCONNECT_TIMEOUT_MS = 1_000;

/** The return codes of CONNACK, from 1. */
const REFUSALS = ['protocol version', 'client identifier', 'unavailable', 'user name or password', 'not authorized'];

/** One connection of one publisher, from CONNECT until it is lost or closed. */
export class MqttConnection {
  readonly #options: MqttConnectionOptions;
  readonly #socket: Socket;
  readonly #onAccepted: () => void;
  readonly #onLost: (lost: ConnectionLostError) => void;
  readonly #watch: NodeJS.Timeout;
  readonly #inFlight = new Map<number, InFlight>();
  #lastPacketId = 0;
  #isAccepted = false;
  #isLost = false;
  #isCorked = false;
  #wroteAtMs = Date.now();
  #pingedAtMs: number | undefined;

  /**
   * Resolves when the broker has accepted the client. When the accepted connection ends, `onLost` is called before its
   * publishes reject.
   */
  static open(options: MqttConnectionOptions, onLost: (lost: ConnectionLostError) => void): Promise<MqttConnection> {
    return new Promise((resolve, reject) => {
      const connection: MqttConnection = new MqttConnection(
        options,
        () => resolve(connection),
        (lost) => (connection.#isAccepted ? onLost(lost) : reject(lost)),
      );
    });
  }

  private constructor(
    options: MqttConnectionOptions,
    onAccepted: () => void,
    onLost: (lost: ConnectionLostError) => void,
  ) {
    this.#options = options;
    this.#onAccepted = onAccepted;
    this.#onLost = onLost;
    this.#socket = openSocket(options).setNoDelay(true);
    const reader = new PacketReader();
    let reason = 'the broker closed the connection';
    this.#socket
      .on('data', (chunk: Buffer) => {
        try {
          reader.read(chunk, (packet) => this.#take(packet));
        } catch (error) {
          this.#socket.destroy(error instanceof Error ? error : undefined);
        }
      })
      .on('error', (error) => {
        reason = error.message;
      })
      .on('close', () => this.#lose(new ConnectionLostError(reason)));
    this.#write(connectPacket(options));
    this.#watch = setInterval(
      () => this.#check(),
      Math.min(1_000, options.timeoutMs / 4, options.keepAliveSeconds * 250),
    );
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Resolves when the broker has acknowledged. Rejects with ConnectionLostError when the connection ends first. */
  publish(packet: PublishPacket, isAgain: boolean): Promise<void> {
    if (this.#isLost) return Promise.reject(new ConnectionLostError('the connection is closed'));
    const packetId = this.#freePacketId();
    stampPublish(packet, packetId, isAgain);
    this.#write(packet.bytes);
    return new Promise((acknowledge, lose) => {
      this.#inFlight.set(packetId, { sentAtMs: this.#wroteAtMs, acknowledge, lose });
    });
  }

  /** Sends DISCONNECT and waits until the connection is closed. */
  async end(): Promise<void> {
    if (this.#isLost) return;
    const closed = new Promise((resolve) => this.#socket.once('close', resolve));
    this.#write(DISCONNECT);
    this.#socket.end();
    const timeout = setTimeout(() => this.#socket.destroy(), DISCONNECT_TIMEOUT_MS);
    await closed;
    clearTimeout(timeout);
  }

  #take(packet: Incoming): void {
    if (packet.kind === 'puback') {
      this.#inFlight.get(packet.packetId)?.acknowledge();
      this.#inFlight.delete(packet.packetId);
    } else if (packet.kind === 'pingresp') {
      this.#pingedAtMs = undefined;
    } else if (packet.returnCode === 0) {
      this.#isAccepted = true;
      this.#onAccepted();
    } else {
      const reason = REFUSALS[packet.returnCode - 1] ?? `code ${packet.returnCode}`;
      this.#socket.destroy(new Error(`the broker refuses ${this.#options.username}: ${reason}`));
    }
  }

  /** Writes everything that one turn of the event loop publishes with one system call. */
  #write(bytes: Buffer): void {
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(bytes);
    this.#wroteAtMs = Date.now();
  }

  /** Closes a connection without answers, and pings the broker if nothing was written for half of the keep-alive time. */
  #check(): void {
    const { timeoutMs, keepAliveSeconds, signal } = this.#options;
    // The first entry of the map was sent first, so it has waited longest.
    const [oldest] = this.#inFlight.values();
    const waitingSinceMs = this.#isAccepted ? (oldest?.sentAtMs ?? this.#pingedAtMs) : this.#wroteAtMs;
    const nowMs = Date.now();
    if (signal.aborted && !this.#isAccepted) {
      this.#socket.destroy();
    } else if (waitingSinceMs !== undefined && nowMs - waitingSinceMs > timeoutMs) {
      this.#socket.destroy(new Error(`no answer from the broker within ${timeoutMs} ms`));
    } else if (this.#isAccepted && nowMs - this.#wroteAtMs > keepAliveSeconds * 500) {
      this.#pingedAtMs ??= nowMs;
      this.#write(PING_REQUEST);
    }
  }

  #lose(lost: ConnectionLostError): void {
    this.#isLost = true;
    clearInterval(this.#watch);
    this.#onLost(lost);
    for (const { lose } of this.#inFlight.values()) lose(lost);
    this.#inFlight.clear();
  }

  #freePacketId(): number {
    do {
      this.#lastPacketId = (this.#lastPacketId % 65_535) + 1;
    } while (this.#inFlight.has(this.#lastPacketId));
    return this.#lastPacketId;
  }
}

function openSocket({ url, tls }: MqttConnectionOptions): Socket {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const address = { host, port: Number(port) || (DEFAULT_PORTS[protocol] ?? 1883) };
  return protocol === 'mqtts:' ? connectTls({ ...address, ...tls }) : connectTcp(address);
}
