import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { DoctorConfig } from '../settings/command_settings.ts';
import { reasonOf } from '../values/error_reason.ts';
import { type CheckFinding, finding, type NotChecked, notConfigured, warning } from './finding.ts';

const TIMEOUT_MS = 5_000;

/** The part of the response of `/jsz` that is used. */
const JetStreamStatus = Type.Object({
  storage: Type.Number(),
  config: Type.Object({ max_storage: Type.Number(), sync_always: Type.Optional(Type.Boolean()) }),
});

/** Checks that nats-server syncs a message to disk before it acknowledges it. Only its monitoring port shows this. */
export async function checkNatsSync({ natsMonitorUrls }: DoctorConfig): Promise<CheckFinding[] | NotChecked> {
  if (natsMonitorUrls.length === 0) return notConfigured('NATS_MONITOR_URL, such as http://127.0.0.1:8222');
  return (await Promise.all(natsMonitorUrls.map(checkServer))).flat();
}

async function checkServer(url: string): Promise<CheckFinding[]> {
  const { host } = new URL(url);
  let body: unknown;
  try {
    const response = await fetch(new URL('/jsz?config=true', url), { signal: AbortSignal.timeout(TIMEOUT_MS) });
    body = await response.json();
  } catch (error) {
    return [
      warning(
        `the monitoring port of nats-server at ${host} cannot be read: ${reasonOf(error)}`,
        'check that nats-server runs, and that `http` in its configuration is the address in NATS_MONITOR_URL',
      ),
    ];
  }
  if (!Value.Check(JetStreamStatus, body)) {
    return [finding(`nats-server at ${host} has no JetStream`, 'add a jetstream block as in deploy/nats.conf')];
  }
  const { storage, config } = body;
  return [
    ...(config.sync_always === true
      ? []
      : [
          finding(
            `nats-server at ${host} acknowledges readings before they are on disk: a power failure loses them`,
            'set sync_interval: always in its jetstream block, and restart it',
          ),
        ]),
    ...(config.max_storage > 0 && storage > 0.9 * config.max_storage
      ? [
          warning(
            `nats-server at ${host} uses ${Math.floor((100 * storage) / config.max_storage)} % of max_file_store`,
            'raise max_file_store, and check that the disk has this space',
          ),
        ]
      : []),
  ];
}
