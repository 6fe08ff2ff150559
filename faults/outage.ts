import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type BenchOptions, figure, type Report } from '../bench/report.ts';
import { startInstallation } from '../engines/installation.ts';
import { DEVICES, MQTT_DEVICES, startLoad } from './load.ts';
import { untilDrained, verify } from './verify.ts';

/** Stops PostgreSQL for three minutes (15 s with --quick) under load. No sender is refused, and everything is stored later. */
export async function runPostgresOutage({ isQuick, log }: BenchOptions): Promise<Report> {
  const outageMs = isQuick ? 15_000 : 180_000;
  await using installation = await startInstallation({ devices: DEVICES });
  const { postgres } = installation;
  await installation.start('gateway');
  await installation.start('writer');
  const load = startLoad(installation, { replayShare: 0 });
  await sleep(2_000);
  log(`PostgreSQL is down for ${outageMs / 1_000} s ...`);
  await postgres.kill();
  await sleep(outageMs);
  const acknowledgedDuring = load.http.record.acknowledged;
  await postgres.restart();
  await sleep(2_000);
  const { mqtt, http } = await load.stop();
  const drainStartMs = performance.now();
  await untilDrained(installation);
  const drainedSeconds = (performance.now() - drainStartMs) / 1_000;
  return {
    name: 'outage',
    checks: [
      atMost('HTTP requests refused', http.refused + http.lost, 0),
      atMost('MQTT connections lost', mqtt.connects - MQTT_DEVICES, 0),
      atMost('MQTT publishes not acknowledged', mqtt.unknown, 0),
      atLeast('readings acknowledged over HTTP by the end of the outage', acknowledgedDuring, outageMs / 1_000),
      ...(await verify(installation, [mqtt.record, http.record])),
      figure('seconds to store everything afterwards', drainedSeconds),
    ],
    outage_seconds: outageMs / 1_000,
  };
}
