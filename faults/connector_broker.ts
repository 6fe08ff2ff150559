import { connectAsync } from 'mqtt';
import { atMost, type Check, figure } from '../bench/report.ts';
import type { Installation } from '../engines/installation.ts';
import { startMqttBroker } from '../engines/mqtt_broker.ts';
import { readNumber } from '../engines/read_number.ts';
import { DAY_MS, MINUTE_MS } from '../src/values/time.ts';
import { addConnector, endLease, makeDue, until, untilState } from './connector_source.ts';

export interface BrokerFaults {
  messages: number;
  brokerKills: number;
  log: (line: string) => void;
}

/** Publishes messages to a broker, while the connector and the broker are killed in turns, and counts the lost ones. */
export async function readBroker(
  installation: Installation,
  { messages, brokerKills, log }: BrokerFaults,
): Promise<Check[]> {
  const { owner } = installation;
  const broker = await startMqttBroker();
  const connector = installation.role('connector');
  try {
    const { id } = await addConnector(installation, {
      kind: 'mqtt',
      name: 'broker',
      settings: { url: broker.url, user: broker.user, topics: [{ filter: 'tanks/+', device_level: 1 }] },
      secret: broker.password,
    });
    await connector.start();
    await untilState(installation, id, 'works');
    const firstMs = Date.UTC(2024, 0, 1);
    const stored = (): Promise<number> =>
      readNumber(owner, 'select count(*) as n from telemetry where created_at >= $1 and created_at < $2', [
        new Date(firstMs),
        new Date(firstMs + DAY_MS * 300),
      ]);
    const untilStored = (count: number): Promise<void> =>
      until(async () => {
        await makeDue(installation, id);
        return (await stored()) >= count;
      });
    const publish = async (from: number, to: number): Promise<void> => {
      const { user, password, url } = broker;
      const client = await connectAsync(url, { username: user, password, reconnectPeriod: 0, clientId: `p${from}` });
      for (let n = from; n < to; n++)
        await client.publishAsync(
          'tanks/20000000',
          JSON.stringify({ fill_percentage: 50, created_at: new Date(firstMs + n * MINUTE_MS).toISOString() }),
          { qos: 1 },
        );
      await client.endAsync();
    };
    const share = Math.ceil(messages / (brokerKills + 1));
    let sent = 0;
    for (let kill = 0; kill <= brokerKills; kill++) {
      const to = Math.min(messages, sent + share);
      await publish(sent, to);
      sent = to;
      if (kill === brokerKills) break;
      log(`kill ${kill + 1} of ${brokerKills}: ${kill % 2 === 0 ? 'the connector' : 'the broker'}`);
      if (kill % 2 === 0) {
        await connector.kill();
        await endLease(installation, id);
        await connector.start();
      } else {
        await broker.kill();
        await broker.restart({ keepsMessages: true });
      }
    }
    log('waiting until all messages are stored');
    await untilStored(sent);
    const lost = sent - (await stored());
    // After the broker has lost its sessions, the connector must subscribe again.
    await broker.kill();
    await untilState(installation, id, 'failing');
    await broker.restart({ keepsMessages: false });
    await untilState(installation, id, 'works');
    await publish(sent, sent + 10);
    await untilStored(sent + 10 - lost);
    return [
      atMost('messages of the broker lost or stored twice', Math.abs(lost), 0),
      atMost('messages lost after the broker forgot its sessions', Math.abs(sent + 10 - lost - (await stored())), 0),
      figure('messages', sent + 10),
    ];
  } finally {
    await connector.kill();
    await broker.stop();
  }
}
