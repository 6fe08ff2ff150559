import { errorCode } from '../values/error_code.ts';
import { apiSettings } from './api_settings.ts';
import { type GatewayConfig, gatewaySettings } from './gateway_settings.ts';
import { metricsSettings } from './role_settings.ts';
import { type Environment, readSettings, readValidSettings, type SettingReader } from './setting_reader.ts';

/** An address on which a role listens, and the names of its settings. */
interface Listener {
  name: string;
  hostName: string;
  host: string;
  port: number;
}

function listenerSettings(setting: SettingReader): Listener[] {
  const gateway: GatewayConfig = gatewaySettings(setting);
  const [api, metrics] = [apiSettings(setting), metricsSettings(setting)];
  return [
    { name: 'API_PORT', hostName: 'API_HOST', host: api.host, port: api.port },
    { name: 'GATEWAY_HTTP_PORT', hostName: 'GATEWAY_HOST', host: gateway.host, port: gateway.httpPort },
    { name: 'GATEWAY_MQTT_PORT', hostName: 'GATEWAY_HOST', host: gateway.host, port: gateway.mqttPort },
    { name: 'METRICS_PORT', hostName: 'METRICS_HOST', host: metrics.host, port: metrics.port },
  ];
}

const isEveryAddress = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** Finds ports that two listeners of roles in one process would share. */
export function findSharedPorts(environment: Environment): string[] {
  const listeners = readSettings(environment, listenerSettings);
  return listeners.flatMap((listener, index) =>
    listeners
      .slice(index + 1)
      .filter(
        (other) =>
          listener.port === other.port &&
          listener.port !== 0 &&
          (listener.host === other.host || isEveryAddress(listener.host) || isEveryAddress(other.host)),
      )
      .map((other) => `${listener.name} and ${other.name} must be different ports, and both are ${listener.port}`),
  );
}

/** Explains why a role cannot listen, with the settings to change. Undefined for other errors. */
export function explainListenError(error: unknown, environment: Environment): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const listeners = readValidSettings(environment, listenerSettings);
  const code = errorCode(error) ?? '';
  if (code === 'ENOTFOUND' && 'hostname' in error) {
    const named = listeners.find(({ host }) => host === error.hostname);
    return named && `the host ${named.host} is not known, so nothing can listen there; correct ${named.hostName}`;
  }
  if (!('syscall' in error) || error.syscall !== 'listen' || !('port' in error)) return undefined;
  const host = 'address' in error ? String(error.address) : 'this machine';
  const found = listeners.filter(({ port }) => port === error.port);
  const names = (kind: 'name' | 'hostName'): string => [...new Set(found.map((each) => each[kind]))].join(' or ');
  const port = String(error.port);
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use; stop the program that uses it (ss -ltnp shows it), or set ${names('name')} to another port`;
    case 'EACCES':
      return `this user may not listen on port ${port} of ${host}; set ${names('name')} to a port above 1023, or let a proxy listen there`;
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine, so nothing can listen there on port ${port}; correct ${names('hostName')}`;
    default:
      return undefined;
  }
}
