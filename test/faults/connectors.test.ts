import { expect, test } from 'vitest';
import { killConnectors } from '../../faults/connectors.ts';

test('kill -9 of the connector, of a cloud and of a broker loses no reading and stores none twice', async () => {
  const checks = await killConnectors({
    devices: 10,
    hours: 240,
    kills: 2,
    pageSize: 200,
    requestsPerMinute: 1_200,
    messages: 20,
    brokerKills: 2,
    log: () => {},
  });
  // How many kills hit a running read depends on the machine.
  expect(checks.filter(({ ok, what }) => !ok && !what.startsWith('kills'))).toEqual([]);
});
