import type { SettingReader } from './setting_reader.ts';

/** Limits the addresses to which the service sends requests if an organization chose them, such as URLs of webhooks. */
export interface AddressConfig {
  /** Allow http:// in addition to https://. */
  allowHttp: boolean;
  /** Allow private addresses, see private_addresses.ts. */
  allowPrivate: boolean;
  /** The addresses of name servers, the same for webhooks and connectors. If empty, those of the system are used. */
  dnsServers?: readonly string[];
}

export const webhookSettings = (setting: SettingReader): AddressConfig => addressSettings(setting, 'WEBHOOK');

/** Which addresses connectors may send requests to. */
export const connectorAddresses = (setting: SettingReader): AddressConfig => addressSettings(setting, 'CONNECTOR');

const addressSettings = (setting: SettingReader, prefix: 'WEBHOOK' | 'CONNECTOR'): AddressConfig => ({
  allowHttp: setting.oneOf(`${prefix}_ALLOW_HTTP`, ['true', 'false'], 'false') === 'true',
  allowPrivate: setting.oneOf(`${prefix}_ALLOW_PRIVATE`, ['true', 'false'], 'false') === 'true',
  dnsServers: dnsServers(setting),
});

function dnsServers(setting: SettingReader): string[] {
  const servers = setting.list('WEBHOOK_DNS_SERVERS');
  const isAddress = (text: string): boolean => /^([\d.]+|\[[\da-fA-F:.]+\])(:\d{1,5})?$|^[\da-fA-F:]+$/.test(text);
  const bad = servers.find((server) => !isAddress(server));
  if (bad !== undefined) setting.addError(`WEBHOOK_DNS_SERVERS must be addresses such as 10.0.0.2:53, not "${bad}"`);
  return servers;
}
