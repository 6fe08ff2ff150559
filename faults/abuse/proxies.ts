import { type Proxy, startNginxProxy } from '../../engines/nginx.ts';
import { startPlainNginxRouter, startRouter } from '../../engines/router.ts';
import type { Via } from './attack.ts';
import { HOST } from './held_requests.ts';
import type { Roles } from './installation.ts';

const portOf = (url: string): number => Number(new URL(url).port);

/** Starts a proxy with a shipped file in front of the roles, and returns the roles with its address. */
export async function putBehindProxy(roles: Roles, via: Via): Promise<Roles> {
  const proxy = await startProxy(via, { api: portOf(roles.apiUrl), gateway: portOf(roles.gatewayUrl) });
  const url = `http://127.0.0.1:${proxy.httpPort}`;
  return {
    ...roles,
    apiUrl: url,
    gatewayUrl: url,
    async stop() {
      await proxy.stop();
      await roles.stop();
    },
  };
}

export function startProxy(via: Via, ports: { api: number; gateway: number }): Promise<Proxy> {
  if (via === 'nginx') return startNginxProxy(ports);
  const cell = { name: 'a', slots: ['a0'], host: HOST, apiPort: ports.api, ingestPort: ports.gateway, mqttPort: 9 };
  return via === 'haproxy' ? startRouter([cell]) : startPlainNginxRouter([cell]);
}
