import { withPool } from '../db/with_pool.ts';
import { createSignIn, maySignIn } from '../keys/create_sign_in.ts';
import { SIGN_IN_MINUTES } from '../keys/sign_in_validity.ts';
import { readApiConfig } from '../settings/api_settings.ts';
import { readMigrateConfig } from '../settings/command_settings.ts';
import { readGatewayConfig } from '../settings/gateway_settings.ts';
import { localAddress } from '../settings/local_address.ts';
import { readMetricsConfig } from '../settings/role_settings.ts';
import type { Environment } from '../settings/setting_reader.ts';
import { readUpConfig } from '../settings/up_settings.ts';
import { CONSOLE_ADDRESS } from '../setup/organization.ts';

/** A link that signs in. Undefined without a console, or if the contact that `tankwatch init` created was removed. */
export async function signInLink(environment: Environment): Promise<string | undefined> {
  const { databaseUrl } = readMigrateConfig(environment);
  const { hasConsole } = readApiConfig(environment);
  if (!hasConsole) return undefined;
  return withPool({ url: databaseUrl, applicationName: 'tankwatch sign-in', maxConnections: 1 }, async (owner) =>
    (await maySignIn(owner, CONSOLE_ADDRESS))
      ? `${consoleOrigin(environment)}/session/links/${await createSignIn(owner, CONSOLE_ADDRESS)}`
      : undefined,
  );
}

function consoleOrigin(environment: Environment): string {
  const { publicUrl, host, port } = readApiConfig(environment);
  return publicUrl || `http://${localAddress(host, port)}`;
}

export interface Running {
  console_url: string;
  sign_in_url: string | undefined;
  listening: { what: string; address: string }[];
}

export function describeRunning(environment: Environment, link: string | undefined): Running {
  const config = readUpConfig(environment);
  const [api, gateway, metrics] = [
    readApiConfig(environment),
    readGatewayConfig(environment),
    readMetricsConfig(environment),
  ];
  return {
    console_url: `${consoleOrigin(environment)}/console/`,
    sign_in_url: link,
    listening: [
      { what: 'console and API', address: `${api.host}:${api.port}` },
      { what: 'readings over HTTP', address: `${gateway.host}:${gateway.httpPort}` },
      {
        what: gateway.tls ? 'readings over MQTT with TLS' : 'readings over MQTT',
        address: `${gateway.host}:${gateway.mqttPort}`,
      },
      { what: 'metrics and health', address: `${metrics.host}:${metrics.port}` },
      ...(config.nats ? [{ what: 'nats-server', address: `127.0.0.1:${config.nats.port}` }] : []),
      ...(config.postgres ? [{ what: 'PostgreSQL', address: `127.0.0.1:${config.postgres.port}` }] : []),
    ],
  };
}

const SIGN_IN_LATER = `To sign in later, add yourself (this needs SMTP_URL):
  tankwatch contacts add ADDRESS --organization CODE --role administrator
With an API key, you can only read:
  tankwatch keys create --organization CODE --name console`;

export function welcome(
  { console_url, sign_in_url, listening }: Running,
  seconds: number | undefined,
  file: string,
): string {
  const width = Math.max(...listening.map(({ what }) => what.length));
  const isLocal = listening.every(({ address }) => /^(127\.|localhost|\[?::1)/.test(address));
  const reach = isLocal
    ? 'Only this machine can connect.'
    : 'Other machines can connect where the address is not 127.0.0.1.';
  const signIn =
    sign_in_url === undefined
      ? SIGN_IN_LATER
      : `To sign in, open this link. It works once, in the next ${SIGN_IN_MINUTES} minutes:\n\n  ${sign_in_url}\n\n${SIGN_IN_LATER}`;
  return `
Tankwatch is ready${seconds === undefined ? '' : ` after ${seconds.toFixed(1)} seconds`}. Its settings are in ${file}

${listening.map(({ what, address }) => `  ${what.padEnd(width)}  ${address}`).join('\n')}

${reach}${seconds === undefined ? '' : ' Ctrl-C stops everything.'}

The console is at ${console_url}
${signIn}
`;
}
