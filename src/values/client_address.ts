import { isIPv6 } from 'node:net';

/**
 * Returns the part of an address that limits are counted by: an IPv4 address, or the first 64 bits of an IPv6 address, because one
 * subscriber has a whole /64.
 */
export function addressGroup(address: string): string {
  const [plain = ''] = address.split('%'); // fe80::1%eth0
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = plain.split('::');
  const headGroups = head.split(':').filter(Boolean);
  const tailGroups = tail.split(':').filter(Boolean);
  const zeros = plain.includes('::') ? 8 - headGroups.length - tailGroups.length : 0;
  const groups = [...headGroups, ...Array.from({ length: zeros }, () => '0'), ...tailGroups];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
