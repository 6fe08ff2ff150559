import { expect, test } from 'vitest';
import { AddressLimit } from '../../src/http/address_limit.ts';
import { addressGroup } from '../../src/values/client_address.ts';

test('limits count by IPv4 address and by the /64 of an IPv6 address', () => {
  const groups: Record<string, string> = {
    '192.0.2.1': '192.0.2.1',
    '::ffff:192.0.2.1': '192.0.2.1',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:0db8:0001:0002::': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    '::1': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
  };
  for (const [address, group] of Object.entries(groups)) expect(addressGroup(address)).toBe(group);
});

test('an address that fails too often is refused until its bucket refills, and other addresses are allowed', () => {
  const limit = new AddressLimit({ perSecond: 1, burst: 3 });
  const countAt = (ms: number) => [limit.count('192.0.2.1', ms), limit.isAllowed('192.0.2.1', ms)];
  expect([countAt(0), countAt(0), countAt(0), countAt(0)]).toEqual([
    [true, true],
    [true, true],
    [true, false],
    [false, false],
  ]);
  expect(limit.retryAfterSeconds('192.0.2.1', 0)).toBe(1);
  expect([limit.isAllowed('192.0.2.2', 0), limit.isAllowed('192.0.2.1', 1_000)]).toEqual([true, true]);
});
