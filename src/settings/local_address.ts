/** The host and port at which this machine reaches a listener, such as `127.0.0.1:8080` or `[::1]:8080`. */
export function localAddress(host: string, port: number | string): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `${reachable.includes(':') && !reachable.startsWith('[') ? `[${reachable}]` : reachable}:${port}`;
}
