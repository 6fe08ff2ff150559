import { setTimeout as sleep } from 'node:timers/promises';
import { startReads } from '../../bench/load_client/read_load.ts';
import { atLeast, atMost, type Check, figure } from '../../bench/report.ts';
import type { Installation } from '../../engines/installation.ts';
import { issueKeys, telemetryPath } from '../../engines/tenant.ts';
import { idsOf, type Receiver } from '../../engines/webhook_receiver.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { startLoad } from '../load.ts';
import { untilDrained, untilEvaluated, verify } from '../verify.ts';
import { type FollowedCatalog, followCatalog } from './catalog_copy.ts';
import { areAllSeenOf, findMissed, findUnknown } from './compare_events.ts';
import { followFeed } from './feed.ts';

/** Starts the load of devices, and programs that read, follow the feeds and receive webhooks. */
export async function startFollowedLoad(
  installation: Installation,
  { receiver, keys: keyCount, clients }: { receiver: Receiver; keys: number; clients: number },
) {
  const { owner, organizationNo, apiUrl, tanks } = installation;
  const keys = await issueKeys(owner, keyCount, { organizationNo });
  const paths = ['/v1/tanks', '/v1/customers', ...tanks.slice(0, 10).map(telemetryPath)];
  const reads = startReads({ url: apiUrl, keys, paths, clients, pauseMs: 50, isRepeating: true });
  const feed = followFeed(apiUrl, keys);
  const catalog = await followCatalog(installation);
  const load = startLoad(installation, { replayShare: 0.05, startAtMs: Date.now() - 3 * HOUR_MS });

  /** Ends the load and the programs, and checks that they missed nothing. */
  async function end(log: (line: string) => void): Promise<{ checks: Check[]; followed: FollowedCatalog }> {
    const { mqtt, http } = await load.stop();
    await untilDrained(installation);
    await untilEvaluated(installation); // records the last events
    await sleep(3_000); // the last webhooks
    await reads.stop();
    const eventIds = await feed.stop(areAllSeenOf(installation));
    const followed = await catalog.stop();
    // Events are compared before `verify`, which evaluates all tanks again and may record events that the reader has not read.
    const missed = await findMissed(installation, eventIds);
    for (const event of missed) log(`the reader of the feed missed ${event}`);
    const unknown = await findUnknown(installation, receiver.received);
    for (const { atMs, body } of unknown) log(`${new Date(atMs).toISOString()} webhook without event: ${body}`);
    const ids = idsOf(receiver.received);
    const checks = [
      ...(await verify(installation, [mqtt.record, http.record])),
      atLeast('events sent to the webhook receiver', new Set(ids).size, 1),
      atMost('ids of webhooks that no stored event has', unknown.length, 0),
      figure('webhooks received more than once', ids.length - new Set(ids).size),
      atLeast('events that a reader of the feed saw', eventIds.size, 10),
      atMost('stored events that a reader of the feed missed', missed.length, 0),
      atLeast('changes of the catalog', followed.changes, 50),
    ];
    return { checks, followed };
  }
  return { load, reads, end };
}
