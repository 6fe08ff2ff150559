import { BlockList, isIP } from 'node:net';

/**
 * Addresses that are not of the public internet, and that nobody outside may make us connect to. IPv4: everything that
 * IANA's registry of special-purpose addresses does not call global, multicast, and the one address in public space
 * behind which a cloud keeps its secrets.
 */
const INSIDE_IPV4 = [
  '0.0.0.0/8', // this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carriers' NAT; also a cloud's metadata
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local; the metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; also a cloud's metadata
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '168.63.129.16/32', // Azure's host
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];

/**
 * IPv6 the other way round: only global unicast is outside. Everything else, known or not, is inside: loopback, mapped
 * and compatible IPv4, NAT64 (64:ff9b::/96 and 64:ff9b:1::/48), unique local, link-local, site-local, multicast.
 */
const GLOBAL_IPV6 = '2000::/3';
const INSIDE_GLOBAL_IPV6 = [
  '2001::/23', // protocol assignments, among them Teredo, which carries an IPv4 address
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which carries an IPv4 address
  '3fff::/20', // documentation
];

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits = ''] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}

const insideIpv4 = listOf(INSIDE_IPV4, 'ipv4');
const globalIpv6 = listOf([GLOBAL_IPV6], 'ipv6');
const insideGlobalIpv6 = listOf(INSIDE_GLOBAL_IPV6, 'ipv6');

/** Whether an address is inside. What is no address at all is never let through either. */
export function isPrivateAddress(address: string): boolean {
  const [plain = ''] = address.split('%'); // fe80::1%eth0
  const family = isIP(plain);
  if (family === 4) return insideIpv4.check(plain, 'ipv4');
  if (family === 6) return !globalIpv6.check(plain, 'ipv6') || insideGlobalIpv6.check(plain, 'ipv6');
  return true;
}
