import { expect, test } from 'vitest';
import { killConnectors } from '../../faults/connectors.ts';
import { isWhole } from '../support/whole_tests.ts';

const KILLS = isWhole('faults/connectors') ? 2 : 1;

test('kill -9 of the connector, of a cloud and of a broker loses no reading and stores none twice', async () => {
  const checks = await killConnectors({
    devices: 10,
    hours: 240,
    kills: KILLS,
    pageSize: 200,
    requestsPerMinute: 1_200,
    messages: 20,
    brokerKills: KILLS,
    log: () => {},
  });
  // How many kills hit a running read depends on the machine.
  expect(checks.filter(({ ok, what }) => !ok && !what.startsWith('kills'))).toEqual([]);
});
