import { connect, type Socket } from 'node:net';
import {
  connectPacket,
  PING_REQUEST,
  type PublishPacket,
  publishPacket,
} from '../../bench/load_client/mqtt_packets.ts';
import { type DeviceLogin, mqttIdentity, readingsMessage } from '../../src/simulation/device_login.ts';

/** A socket that sends bytes at once, from an address of its choice, and never throws. */
export function openSocket(port: number, localAddress: string, bytes: Buffer): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {}).resume();
  socket.write(bytes);
  return socket;
}

/** Waits until a socket is closed. */
export const untilClosed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });

export const login = (device: DeviceLogin): Buffer => connectPacket({ ...mqttIdentity(device), keepAliveSeconds: 60 });

/** A CONNECT, followed by more packets than a broker buffers until it has accepted the client. */
export const loginAndPings = (device: DeviceLogin): Buffer =>
  Buffer.concat([login(device), ...Array.from({ length: 60 }, () => PING_REQUEST)]);

/** A CONNECT that never ends: its length is 100 bytes more than it has. */
export function halfConnect(bytes: number): Buffer {
  const packet = Buffer.alloc(bytes, 0x61);
  const claim = bytes + 100;
  const length = [(claim & 0x7f) | 0x80, ((claim >> 7) & 0x7f) | 0x80, claim >> 14]; // in MQTT's base 128
  Buffer.from([0x10, ...length, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 0xc2, 0, 60, 0xff, 0xff]).copy(packet);
  return packet;
}

/** A CONNECT with a wrong password. */
export const wrongLogin = (n: number): Buffer =>
  connectPacket({
    clientId: `x${n}`,
    username: `a0honest/DEV${String(n % 40).padStart(6, '0')}`,
    password: 'wrong',
    keepAliveSeconds: 60,
  });

/** Makes the publish of a device with these readings. */
export function readingsPacket(device: DeviceLogin, readings: readonly Reading[]): PublishPacket {
  const { topic, payload } = readingsMessage(device, readings);
  return publishPacket(topic, payload);
}

interface Reading {
  atMs: number;
  fillPercentage: number;
}
