import type { Tenant } from '../engines/tenant.ts';
import { mqttIdentity, readingsMessage } from '../src/simulation/device_login.ts';
import { publishPacket } from './load_client/mqtt_packets.ts';
import { MqttPublisher } from './load_client/mqtt_publisher.ts';

/** Reports as devices on batteries do: connects with a new TLS session for each reading, publishes it and disconnects. */
export async function reportCycles(
  devices: Tenant['devices'],
  { port, ca, cycles }: { port: number; ca: string; cycles: number },
): Promise<void> {
  for (let n = 0; n < cycles; n++) {
    const login = devices[n % devices.length];
    if (login === undefined) throw new RangeError('there is no device');
    const publisher = new MqttPublisher({
      url: `mqtts://127.0.0.1:${port}`,
      ...mqttIdentity(login),
      inFlight: 1,
      isResending: false,
      tls: { ca },
    });
    const message = readingsMessage(login, [{ atMs: Date.now() - n, fillPercentage: 45.5 }]);
    await publisher.publish(publishPacket(message.topic, message.payload));
    await publisher.close();
  }
}
