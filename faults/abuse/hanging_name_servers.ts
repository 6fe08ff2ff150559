import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost } from '../../bench/report.ts';
import { recordLowFills } from '../../engines/events.ts';
import { type NameServer, startNameServer } from '../../engines/name_server.ts';
import { readNumber } from '../../engines/read_number.ts';
import { transaction } from '../../src/db/pool.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import type { Attack } from './attack.ts';

const HANGING_ENDPOINTS = 40;

/** Endpoints whose names are never resolved, with events for all of them all the time. */
export async function hangingNameServers(webhookPort: number): Promise<Attack & { stop(): void }> {
  const nameServer: NameServer = await startNameServer();
  return {
    name: 'hanging-name-servers',
    roles: ['worker'],
    honestPaths: ['webhook'],
    settings: { WEBHOOK_DNS_SERVERS: nameServer.address },
    stop: () => nameServer.stop(),

    async prepare({ installation: { owner, secretsKey, honest, attacker } }) {
      await transaction(owner, async (tx) => {
        const url = `http://honest.test:${webhookPort}/`;
        await createEndpoint(tx, honest.organizationNo, { url, types: [] }, secretsKey);
        for (let n = 0; n < HANGING_ENDPOINTS; n++) {
          const hanging = { url: `http://h${n}.hangs.test:9/`, types: [] };
          await createEndpoint(tx, attacker.organizationNo, hanging, secretsKey);
        }
      });
    },

    async run({ installation: { owner, honest, attacker }, isQuick }) {
      const { organizationNo, tanks } = attacker;
      const endMs = performance.now() + (isQuick ? 8_000 : 30_000);
      while (performance.now() < endMs) {
        await recordLowFills(owner, { organizationNo, tankNo: tanks[0]?.no ?? 0 });
        await sleep(500);
      }
      const failing = await readNumber(
        owner,
        `select count(*) as n from webhook_deliveries d join webhook_endpoints w on w.no = d.endpoint_no
         where w.organization_no = $1 and (w.failing_since is not null or w.disabled_at is not null)`,
        [honest.organizationNo],
      );
      return [
        atLeast('queries that the hanging name server received', nameServer.ignored, HANGING_ENDPOINTS),
        atMost('deliveries of an honest endpoint that counts as failing', failing, 0),
      ];
    },
  };
}
