import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, figure } from '../../bench/report.ts';
import type { Attack } from './attack.ts';
import { HttpAttacker, largestBytes } from './http_attacker.ts';

const ENTRIES = 500_000;
const AT_ONCE = 12;
const MAX_ANSWER_BYTES = 64 * 1_024;

/** An uplink of 1 MB whose codec returned 500,000 readings, none of them right; twelve at once, again and again. */
export const largeUplink: Attack = {
  name: 'large-uplink',
  roles: ['gateway', 'writer'],
  honestPaths: ['publish', 'ingest'],

  async run({ installation, roles, isQuick }) {
    const { attacker, pipeline } = installation;
    const before = await countRejected(pipeline.owner);
    const readings = `[${'0,'.repeat(ENTRIES - 1)}0]`;
    const body = Buffer.from(`{"deviceInfo":{"devEui":"0102030405060708"},"object":{"readings":${readings}}}`);
    const http = new HttpAttacker();
    const rounds = isQuick ? 1 : 4;
    const answers = [];
    for (let round = 0; round < rounds; round++) {
      const sent = Array.from({ length: AT_ONCE }, () =>
        http.send({
          method: 'POST',
          url: `${roles.gatewayUrl}/ingest/readings?format=chirpstack`,
          headers: { 'x-api-key': attacker.ingestKey, 'content-type': 'application/json' },
          body,
        }),
      );
      answers.push(...(await Promise.all(sent)));
      await sleep(500);
    }
    await http.close();
    await sleep(2_000);
    return [
      figure('uplinks of 1 MB with 500,000 readings', answers.length),
      atMost('bytes of the largest answer to an uplink', largestBytes(answers), MAX_ANSWER_BYTES),
      atMost(
        'rejected readings stored for the uplinks',
        (await countRejected(pipeline.owner)) - before,
        answers.length,
      ),
    ];
  },
};

async function countRejected(owner: AttackOwner): Promise<number> {
  const { rows } = await owner.query<{ n: number }>('select count(*)::int as n from rejected_readings');
  return rows[0]?.n ?? 0;
}

type AttackOwner = Parameters<Attack['run']>[0]['installation']['pipeline']['owner'];
