import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type Answer, HttpClient } from '../../bench/load_client/http_client.ts';
import { atMost, figure } from '../../bench/report.ts';
import { readNumber } from '../../engines/read_number.ts';
import { ATTACKER_ADDRESS, type Attack } from './attack.ts';

const ENTRIES = 500_000;
const AT_ONCE = 12;
const MAX_ANSWER_BYTES = 64 * 1_024;

/** Uplinks of 1 MB whose codec returned 500,000 invalid readings, twelve at once in several rounds. */
export const largeUplink: Attack = {
  name: 'large-uplink',
  roles: ['gateway', 'writer'],
  honestPaths: ['publish', 'ingest'],

  async run({ installation, roles, isQuick }) {
    const { attacker, owner } = installation;
    const before = await countRejected(owner);
    const readings = `[${'0,'.repeat(ENTRIES - 1)}0]`;
    const body = Buffer.from(`{"deviceInfo":{"devEui":"0102030405060708"},"object":{"readings":${readings}}}`);
    const http = new HttpClient({ localAddress: ATTACKER_ADDRESS });
    const rounds = isQuick ? 1 : 4;
    const answers: Answer[] = [];
    for (let round = 0; round < rounds; round++) {
      const sent = Array.from({ length: AT_ONCE }, () =>
        http.send(`${roles.gatewayUrl}/ingest/readings?format=chirpstack`, {
          key: attacker.ingestKey,
          headers: { 'content-type': 'application/json' },
          body,
        }),
      );
      answers.push(...(await Promise.all(sent)));
      await sleep(500);
    }
    http.close();
    await sleep(2_000);
    return [
      figure('answered uplinks of 1 MB with 500,000 readings', answers.filter(({ status }) => status !== 0).length),
      atMost(
        'bytes of the largest answer to an uplink',
        Math.max(...answers.map(({ text }) => text.length)),
        MAX_ANSWER_BYTES,
      ),
      atMost('rejected readings stored for the uplinks', (await countRejected(owner)) - before, answers.length),
    ];
  },
};

const countRejected = (owner: Pool): Promise<number> =>
  readNumber(owner, 'select count(*)::int as n from rejected_readings');
