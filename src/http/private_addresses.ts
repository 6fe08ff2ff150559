import { BlockList, isIP } from 'node:net';

/**
 * Private addresses. A URL that others chose must not lead to them, because it could then reach internal services.
 * IPv4: all ranges that the IANA special-purpose registry does not list as global, multicast, and one public address
 * that serves cloud metadata.
 */
const PRIVATE_IPV4 = [
  '0.0.0.0/8', // this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; also cloud metadata
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local; metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; also cloud metadata
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '168.63.129.16/32', // Azure host agent
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];

/**
 * IPv6: only global unicast is public. All other addresses are private: loopback, mapped and compatible IPv4, NAT64
 * (64:ff9b::/96 and 64:ff9b:1::/48), unique local, link-local, site-local, multicast and unassigned ranges.
 */
const GLOBAL_IPV6 = '2000::/3';
const PRIVATE_GLOBAL_IPV6 = [
  '2001::/23', // protocol assignments, including Teredo, which embeds an IPv4 address
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which embeds an IPv4 address
  '3fff::/20', // documentation
];

/** Link-local addresses and those at which clouds serve metadata, such as credentials of the machine. */
const METADATA_IPV4 = ['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'];
const METADATA_IPV6 = [
  'fe80::/10', // link-local
  'fd00:ec2::254/128', // AWS
  'fd20:ce::254/128', // Google Cloud
  '64:ff9b::a9fe:0/112', // 169.254.0.0/16 by NAT64
];

function blockListOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits = ''] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}

const privateIpv4 = blockListOf(PRIVATE_IPV4, 'ipv4');
const globalIpv6 = blockListOf([GLOBAL_IPV6], 'ipv6');
const privateGlobalIpv6 = blockListOf(PRIVATE_GLOBAL_IPV6, 'ipv6');
const metadataIpv4 = blockListOf(METADATA_IPV4, 'ipv4');
const metadataIpv6 = blockListOf(METADATA_IPV6, 'ipv6');

/** Returns true also for a text that is not an IP address, so that it is never connected to. */
export function isPrivateAddress(address: string): boolean {
  const [plain = ''] = address.split('%'); // fe80::1%eth0
  const family = isIP(plain);
  if (family === 4) return privateIpv4.check(plain, 'ipv4');
  if (family === 6) return !globalIpv6.check(plain, 'ipv6') || privateGlobalIpv6.check(plain, 'ipv6');
  return true;
}

/**
 * Whether an address serves metadata of a cloud or is link-local. Webhooks never need such an address, not even in a
 * private network. Returns true also for a text that is not an IP address.
 */
export function isMetadataAddress(address: string): boolean {
  const [plain = ''] = address.split('%');
  const family = isIP(plain);
  if (family === 4) return metadataIpv4.check(plain, 'ipv4');
  // The IPv4 list also matches mapped addresses, such as ::ffff:169.254.169.254.
  if (family === 6) return metadataIpv6.check(plain, 'ipv6') || metadataIpv4.check(plain, 'ipv6');
  return true;
}
