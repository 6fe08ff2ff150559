import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PublishPacket } from 'aedes';
import type { FastifyBaseLogger } from 'fastify';
import type { GaugeProfileCache } from '../gauges/gauge_profile_cache.ts';
import { readByProfile } from '../gauges/read_message.ts';
import { deviceUserName } from '../keys/device_password.ts';
import type { Device, DeviceVerifier } from '../keys/device_verifier.ts';
import type { Batcher } from '../telemetry/batcher.ts';
import { parseDevicePayload } from '../telemetry/payload_formats.ts';
import type { RejectedPayloads } from '../telemetry/rejected_payloads.ts';
import type { FairParsing } from './fair_parsing.ts';
import type { GatewayMetrics } from './metrics.ts';
import type { PayloadSize, ReadingQuota } from './reading_quota.ts';

/** The services that MQTT and HTTP share. */
export interface IngestServices {
  batcher: Batcher;
  quota: ReadingQuota;
  gauges: GaugeProfileCache;
  parsing: FairParsing;
  rejectedPayloads: RejectedPayloads;
  metrics: GatewayMetrics;
  logger: FastifyBaseLogger;
}

/** The services that the sessions of all devices share. */
export interface SessionServices extends IngestServices {
  devices: DeviceVerifier;
}

/** The largest number of bytes from a device before it is authenticated: its CONNECT and a few small packets. */
export const MAX_UNAUTHENTICATED_BYTES = 8_192;
/** A device that must wait longer for its quota is disconnected. It reconnects later and sends the payload again. */
const MAX_QUOTA_DELAY_MS = 10_000;

export class WrongCredentialsError extends Error {}

/**
 * One connection of a device, from its CONNECT on. After its password is verified, the device may publish readings to its
 * own topic. An error of `publish` ends the connection, because MQTT 3.1.1 has no negative acknowledgement.
 */
export class DeviceSession {
  readonly socket: Socket;
  readonly #services: SessionServices;
  #isRegistered = false;
  #verified: { device: Device; userName: string } | undefined;

  constructor(socket: Socket, services: SessionServices) {
    this.socket = socket;
    this.#services = services;
    socket.on('readable', () => {
      if (!this.#isRegistered && socket.bytesRead > MAX_UNAUTHENTICATED_BYTES) socket.destroy();
    });
  }

  /** Undefined until the password is verified. */
  get userName(): string | undefined {
    return this.#verified?.userName;
  }

  async authenticate(sentUserName: string, password: Buffer): Promise<void> {
    const device = await this.#services.devices.verify(sentUserName, password);
    if (device === undefined) throw new WrongCredentialsError('unknown user name or wrong password');
    this.#verified = { device, userName: deviceUserName(device.organizationCode, device.deviceId) };
  }

  /** Called when the broker has registered the device, which may send larger packets from now on. */
  registered(): void {
    this.#isRegistered = true;
  }

  /** Resolves when the stream has stored the readings on disk. */
  async publish(packet: PublishPacket): Promise<void> {
    const { batcher, gauges, parsing, rejectedPayloads, metrics, logger } = this.#services;
    const receivedAtMs = Date.now();
    const { device, userName, topic } = this.#checkPublish(packet);
    this.#checkQuota(userName, device.organizationNo, receivedAtMs);
    packet.retain = false;

    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
    const turn = parsing.take(device.organizationNo, payload.length);
    if (turn) await turn;
    const { deviceId, organizationNo } = device;
    const { readings, rejections, health } = parseDevicePayload(deviceId, payload, receivedAtMs, {
      topic,
      byProfile: (message, times) => readByProfile(gauges.of(organizationNo), message, times),
    });
    const count = Math.max(readings.length + rejections.length, health?.length ?? 0);
    const size = { readings: count, bytes: payload.length };
    const delayMs = this.#chargeQuota(userName, organizationNo, size, receivedAtMs);
    if (delayMs > 0) await sleep(delayMs);
    const messages = await batcher.submit(
      readings.map((reading) => ({ ...reading, organizationNo })),
      rejectedPayloads
        .toStore('mqtt', organizationNo, rejections)
        .map((rejection) => ({ ...rejection, organizationNo })),
      health?.map((report) => ({ ...report, organization_no: organizationNo })),
    );
    metrics.acknowledged.inc({ source: 'mqtt' }, readings.length);
    logger.debug({ device: userName, readings: readings.length, messages }, 'acknowledged a payload');
  }

  /** Throws if the device may not publish this packet. `topic` is the part after the device's own topic; null if there is none. */
  #checkPublish(packet: PublishPacket): { device: Device; userName: string; topic: string | null } {
    if (this.#verified === undefined) throw new Error('not authenticated');
    const { device, userName } = this.#verified;
    const { devices, gauges } = this.#services;
    if (!devices.isCurrent(device)) throw new Error('the device was rotated or revoked');
    if (!gauges.isReady) throw new Error('the profiles of gauges have not been read from the database yet');
    const own = `readings/${userName}`;
    const topic = packet.topic.startsWith(`${own}/`) ? packet.topic.slice(own.length + 1) : null;
    if (packet.topic !== own && !(topic !== null && gauges.of(device.organizationNo).hasTopic(topic)))
      throw new Error(`the topic must be ${own}`);
    if (packet.qos === 2) throw new Error('QoS 2 is not supported; use QoS 1');
    return { device, userName, topic };
  }

  /** Throws if the device or its organization is far beyond its quota, which ends the connection. */
  #checkQuota(userName: string, organizationNo: number, nowMs: number): void {
    const { quota, metrics } = this.#services;
    const isDeviceOver = quota.deviceDelayMs(userName, nowMs) > MAX_QUOTA_DELAY_MS;
    if (!isDeviceOver && quota.organizationDelayMs(organizationNo, nowMs) <= MAX_QUOTA_DELAY_MS) return;
    metrics.quotaExceeded.inc({ source: 'mqtt', limit: isDeviceOver ? 'device' : 'organization' });
    throw new Error(`the ${isDeviceOver ? 'device' : 'organization'} sends more readings than its quota allows`);
  }

  /** Charges a payload. Returns the delay of its PUBACK, which slows down a device that publishes too fast. */
  #chargeQuota(userName: string, organizationNo: number, size: PayloadSize, nowMs: number): number {
    const { quota, metrics } = this.#services;
    const deviceDelayMs = quota.chargeDevice(userName, size, nowMs);
    const organizationDelayMs = quota.chargeOrganization(organizationNo, size, nowMs);
    if (deviceDelayMs > 0) metrics.quotaExceeded.inc({ source: 'mqtt', limit: 'device' });
    if (organizationDelayMs > 0) metrics.quotaExceeded.inc({ source: 'mqtt', limit: 'organization' });
    return Math.max(deviceDelayMs, organizationDelayMs);
  }
}
