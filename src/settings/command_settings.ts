import { userInfo } from 'node:os';
import { deriveApiSecretsKey } from '../values/api_secrets_key.ts';
import type { AddressConfig } from './address_settings.ts';
import { connectorAddresses, webhookSettings } from './address_settings.ts';
import { diskFolders } from './disk_folders.ts';
import { localAddress } from './local_address.ts';
import { mailFrom, type SenderConfig, type SmtpConfig, smtpSettings } from './mail_settings.ts';
import {
  type DeviceSecretsConfig,
  deviceSecrets,
  givenSecrets,
  type LinkSecretsConfig,
  linkSecrets,
  requiredSecretsKeys,
} from './secret_settings.ts';
import { type Environment, readSettings, type SettingReader } from './setting_reader.ts';
import { parseSlots } from './slot_setting.ts';
import { keepMsSetting, type StreamConfig, streamSettings } from './stream_settings.ts';

export interface OperatorConfig {
  databaseUrl: string;
  databaseSetting: string;
  /** The slots of new organizations: the first two characters of an organization's code and of its keys. */
  slots: readonly string[];
  /** The slots as the operator writes them, such as `a0-az`. */
  slotsText: string;
}

/** Reads the settings of commands that send a mail themselves. */
export function readSenderConfig(environment: Environment): SenderConfig {
  return readSettings(environment, (setting) => {
    const smtp = smtpSettings(setting);
    if (smtp === null) setting.addError('SMTP_URL must be set to an address such as smtp://user:password@host:587');
    return { smtpUrl: '', requiresTls: true, ...smtp, from: mailFrom(setting) };
  });
}

/** Null if SMTP_URL is not set here. The worker may still have a mail server. */
export const readSmtpConfig = (environment: Environment): SmtpConfig | null => readSettings(environment, smtpSettings);

export function readOperatorConfig(environment: Environment): OperatorConfig {
  return readSettings(environment, operatorSettings);
}

const operatorSettings = (setting: SettingReader): OperatorConfig => ({
  databaseUrl: setting.url(['OPERATOR_DATABASE_URL', 'DATABASE_URL']),
  databaseSetting: setting.inUse(['OPERATOR_DATABASE_URL', 'DATABASE_URL']),
  ...slotSettings(setting),
});

/**
 * If SLOT is set and SLOTS is not, only that slot is used, because the router would send requests for other slots to
 * another cell.
 */
function slotSettings(setting: SettingReader): { slots: readonly string[]; slotsText: string } {
  const slot = setting.matching('SLOT', /^[a-z0-9]{2}$/, 'a0', 'two lower-case letters or digits, such as a0');
  const wanted = 'slots and ranges of slots, such as a0-a9,b0';
  const slotsText = setting.matching('SLOTS', /^/, setting.isSet('SLOT') ? slot : 'a0-az', wanted);
  const slots = parseSlots(slotsText);
  if (slots === undefined && setting.isSet('SLOTS')) setting.addError(`SLOTS must be ${wanted}`);
  return { slots: slots ?? [], slotsText };
}

/**
 * The name of the operator who runs a command, for the audit log: OPERATOR_NAME, the user who called sudo, or the user
 * of the system. In a container, set OPERATOR_NAME, because the user of the system is not a person.
 */
export function readOperatorName(environment: Environment): string {
  return readSettings(environment, operatorName) || environment['SUDO_USER'] || userInfo().username;
}

const operatorName = (setting: SettingReader): string => setting.text('OPERATOR_NAME', '');

/** The settings that `tankwatch doctor` checks. Empty or null values are not checked. */
export interface DoctorConfig {
  databaseUrl: string;
  databaseSetting: string;
  stream: StreamConfig | null;
  /** How long writers keep committed messages in the stream. */
  keepMs: number;
  /** The monitoring addresses of the nats-servers. */
  natsMonitorUrls: readonly string[];
  /** The address of the gateway's HTTP port, as its senders see it. */
  gatewayUrl: string;
  smtp: SmtpConfig | null;
  /** The public address of the API. */
  publicUrl: string;
  /** The address at which the API is checked: the public address, or the address of the API on this machine. */
  apiUrl: string;
  /** SECRETS_KEY and SECRETS_KEY_PREVIOUS, if they are set here. */
  secretsKeys: readonly string[];
  /** The keys that are derived from secretsKeys. */
  apiSecretsKeys: readonly string[];
  certificateFile: string;
  keyFile: string;
  /** Folders whose disk must not be full, by the name of the setting. */
  folders: Readonly<Record<string, string>>;
}

export const readDoctorConfig = (environment: Environment): DoctorConfig => readSettings(environment, doctorSettings);

function doctorSettings(setting: SettingReader): DoctorConfig {
  const { databaseUrl, databaseSetting } = operatorSettings(setting);
  const webAddress = (name: string): string =>
    setting.matching(name, /^(https?:\/\/.+)?$/, '', 'an address such as http://localhost:8081').replace(/\/+$/, '');
  const publicUrl = webAddress('PUBLIC_URL');
  return {
    databaseUrl,
    databaseSetting,
    stream: givenStream(setting),
    keepMs: keepMsSetting(setting),
    natsMonitorUrls: setting.list('NATS_MONITOR_URL'),
    gatewayUrl: webAddress('GATEWAY_URL') || localUrl(setting, 'GATEWAY_HOST', 'GATEWAY_HTTP_PORT'),
    smtp: smtpSettings(setting),
    publicUrl,
    apiUrl: publicUrl || localUrl(setting, 'API_HOST', 'API_PORT'),
    secretsKeys: givenSecrets(setting, 'SECRETS_KEY'),
    apiSecretsKeys: givenSecrets(setting, 'SECRETS_KEY').map(deriveApiSecretsKey),
    certificateFile: setting.text('GATEWAY_TLS_CERT', ''),
    keyFile: setting.text('GATEWAY_TLS_KEY', ''),
    folders: diskFolders(setting),
  };
}

/**
 * The address of a role on this machine. Empty if the port of the role is not set here, or if the system chooses it.
 */
function localUrl(setting: SettingReader, hostName: string, portName: string): string {
  if (!setting.isSet(portName)) return '';
  const [host, port] = [setting.text(hostName, '0.0.0.0'), setting.text(portName, '')];
  return port === '0' ? '' : `http://${localAddress(host, port)}`;
}

export interface MigrateConfig {
  databaseUrl: string;
  databaseSetting: string;
  /** The number of this cell, which decides its range of internal numbers (see src/db/number_range.ts). */
  cellNumber: number;
}

export const readMigrateConfig = (environment: Environment): MigrateConfig =>
  readSettings(environment, migrateSettings);

export const migrateSettings = (setting: SettingReader): MigrateConfig => ({
  databaseUrl: setting.url(['MIGRATE_DATABASE_URL', 'DATABASE_URL']),
  databaseSetting: setting.inUse(['MIGRATE_DATABASE_URL', 'DATABASE_URL']),
  cellNumber: setting.integer('CELL_NUMBER', 0, 0, 52),
});

/** Reads which addresses webhooks may have, for commands that create and test them. */
export function readWebhookConfig(environment: Environment): AddressConfig {
  return readSettings(environment, webhookSettings);
}

/** Reads which addresses connectors may send requests to, for commands that add and try connectors. */
export function readConnectorAddresses(environment: Environment): AddressConfig {
  return readSettings(environment, connectorAddresses);
}

/** The address of the gateway on this machine, for commands that act as a device. */
export const readMqttUrl = (environment: Environment): string => readSettings(environment, mqttUrl);

function mqttUrl(setting: SettingReader): string {
  const isTls = setting.text('GATEWAY_TLS_CERT', '') !== '';
  const host = setting.text('GATEWAY_HOST', '0.0.0.0');
  const port = setting.integer('GATEWAY_MQTT_PORT', isTls ? 8883 : 1883, 0, 65_535);
  // The name, because a certificate may be for `localhost` and not for an address.
  return `${isTls ? 'mqtts' : 'mqtt'}://${localAddress(host === '0.0.0.0' ? 'localhost' : host, port)}`;
}

/** Reads the stream settings of the operator's commands. */
export function readStreamConfig(environment: Environment): StreamConfig {
  return readSettings(environment, (setting) => streamSettings(setting, 'OPERATOR_NATS_URL'));
}

/** The file to which the worker writes removals. Empty if REMOVALS_FILE is not set here. */
export const readRemovalsFile = (environment: Environment): string =>
  readSettings(environment, (setting) => setting.text('REMOVALS_FILE', ''));

export interface BackupConfig {
  /** Empty if backups are not encrypted. */
  passphrase: string;
  removalsFile: string;
  /** The folder or storage of backups, unless a command names another. If empty, the default folder is used. */
  to: string;
  /** The storage of backups with an `s3://` address. `keyId` and `secret` are empty if they are not set. */
  s3: {
    /** The address, such as https://s3.eu-central-1.amazonaws.com. */
    endpoint: string;
    region: string;
    keyId: string;
    secret: string;
  };
}

export const readBackupConfig = (environment: Environment): BackupConfig => readSettings(environment, backupSettings);

const backupSettings = (setting: SettingReader): BackupConfig => ({
  passphrase: setting.matching('BACKUP_PASSPHRASE', /^(.{12,})?$/, '', 'a text of at least 12 characters'),
  removalsFile: setting.text('REMOVALS_FILE', ''),
  to: setting.text('BACKUP_TO', ''),
  s3: s3Settings(setting),
});

function s3Settings(setting: SettingReader): BackupConfig['s3'] {
  const region = setting.matching('BACKUP_S3_REGION', /^[a-z0-9-]+$/, 'us-east-1', 'a region such as eu-central-1');
  const wanted = 'an address such as https://s3.eu-central-1.amazonaws.com';
  const endpoint = setting.matching('BACKUP_S3_ENDPOINT', /^(https?:\/\/[^/\s?#@]+\/?)?$/, '', wanted);
  return {
    endpoint: endpoint === '' ? `https://s3.${region}.amazonaws.com` : endpoint,
    region,
    keyId: setting.text('BACKUP_S3_KEY_ID', ''),
    secret: setting.text('BACKUP_S3_SECRET', ''),
  };
}

/** Null if neither OPERATOR_NATS_URL nor NATS_URL is set here. */
export const readGivenStream = (environment: Environment): StreamConfig | null =>
  readSettings(environment, givenStream);

const givenStream = (setting: SettingReader): StreamConfig | null =>
  setting.isSet('OPERATOR_NATS_URL') || setting.isSet('NATS_URL') ? streamSettings(setting, 'OPERATOR_NATS_URL') : null;

/**
 * Reads the secrets of commands that show device passwords. Anyone who has these secrets can impersonate any device.
 */
export function readDeviceSecrets(environment: Environment): DeviceSecretsConfig {
  return readSettings(environment, (setting) => deviceSecrets(setting, 'command'));
}

/** Reads the secrets of commands that show or store the secrets of an organization. */
export function readOrganizationSecrets(environment: Environment): DeviceSecretsConfig & LinkSecretsConfig {
  return readSettings(environment, (setting) => ({
    ...deviceSecrets(setting, 'command'),
    ...linkSecrets(setting, 'command'),
  }));
}

/** Reads the keys of commands that store secrets in the database. */
export function readSecretsKeys(environment: Environment): { secretsKey: string; secretsKeys: readonly string[] } {
  return readSettings(environment, (setting) => {
    const secretsKeys = requiredSecretsKeys(setting, 'command');
    return { secretsKey: secretsKeys[0] ?? '', secretsKeys };
  });
}

/** Derives from SECRETS_KEY the keys with which commands encrypt secrets that the api must decrypt. */
export function readApiSecretsKeys(environment: Environment): readonly string[] {
  return readSettings(environment, (setting) => {
    requiredSecretsKeys(setting, 'command');
    return givenSecrets(setting, 'SECRETS_KEY').map(deriveApiSecretsKey);
  });
}

/** Reads the keys of commands that check stored secrets: SECRETS_KEY and, during a rotation, SECRETS_KEY_PREVIOUS. */
export function readInstallationKeys(environment: Environment): readonly string[] {
  return readSettings(environment, (setting) => {
    requiredSecretsKeys(setting, 'command');
    return givenSecrets(setting, 'SECRETS_KEY');
  });
}

/** Reads the secrets of commands that store the secrets of an organization. */
export function readStoringSecrets(environment: Environment): DeviceSecretsConfig & LinkSecretsConfig {
  return readSettings(environment, (setting) => ({
    deviceSecrets: givenSecrets(setting, 'DEVICE_SECRET'),
    linkSecrets: givenSecrets(setting, 'LINK_SECRET'),
    secretsKeys: requiredSecretsKeys(setting, 'command'),
  }));
}

/**
 * All settings that commands read, for `config check operator`. Most commands need only the database, so the other
 * settings may be missing, but a value that is set must be valid.
 */
export function commandSettings(setting: SettingReader): void {
  doctorSettings(setting);
  mqttUrl(setting);
  operatorName(setting);
  backupSettings(setting);
  webhookSettings(setting);
  connectorAddresses(setting);
  for (const name of ['DEVICE_SECRET', 'LINK_SECRET', 'SECRETS_KEY']) givenSecrets(setting, name);
  if (setting.isSet('MAIL_FROM')) mailFrom(setting);
}
