import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient } from '../../bench/load_client/http_client.ts';
import { atMost, figure } from '../../bench/report.ts';
import { ATTACKER_ADDRESS, type Attack } from './attack.ts';

const REQUESTS_PER_SECOND = 4;
const MAX_ANSWER_BYTES = 16 * 1_024;

/** Sends 8,882 names of unknown parameters, as many as fit into a query string and a form body, with a narrowed key. */
export const unknownParameters: Attack = {
  name: 'unknown-parameters',
  roles: ['api'],
  honestPaths: ['read'],

  async run({ installation, roles, isQuick }) {
    const http = new HttpClient({ localAddress: ATTACKER_ADDRESS });
    const names = Array.from({ length: 8_882 }, (_, n) => n.toString(36).padStart(2, '0'));
    // The api reads 16 KiB of headers and 16 KiB of the body.
    const query = names.slice(0, 3_500).join('&');
    const body = names.slice(3_500).join('&').slice(0, 16_384);
    const sent = [];
    const requests = (isQuick ? 4 : 15) * REQUESTS_PER_SECOND;
    for (let n = 0; n < requests; n++) {
      sent.push(
        http.send(`${roles.apiUrl}/v1/tanks?${query}`, {
          method: 'GET',
          key: installation.attacker.narrowedKey,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body,
        }),
      );
      await sleep(1_000 / REQUESTS_PER_SECOND);
    }
    const answers = await Promise.all(sent);
    http.close();
    return [
      figure('requests with 8,882 unknown parameters', answers.length),
      atMost(
        'bytes of the largest answer to unknown parameters',
        Math.max(...answers.map(({ text }) => text.length)),
        MAX_ANSWER_BYTES,
      ),
      atMost('answers other than 422', answers.filter(({ status }) => status !== 422).length, 0),
    ];
  },
};
