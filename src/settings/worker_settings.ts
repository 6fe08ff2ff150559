import { type AddressConfig, webhookSettings } from './address_settings.ts';
import { diskFolders } from './disk_folders.ts';
import { consoleSetting, type MailConfig, mailSettings } from './mail_settings.ts';
import { databaseSettings, type LogLevel, logLevelSetting } from './role_settings.ts';
import { requiredSecretsKeys } from './secret_settings.ts';
import { type Environment, readSettings, type SettingReader } from './setting_reader.ts';

export interface WorkerConfig {
  databaseUrl: string;
  databaseSetting: string;
  webhooks: AddressConfig;
  /** Null if no mails are sent. */
  mail: MailConfig | null;
  /** The keys that decrypt stored secrets, such as those of webhooks. */
  secretsKeys: readonly string[];
  /** The public address, for links in text messages and for delivery reports of text providers. Empty if not set. */
  publicUrl: string;
  hasConsole: boolean;
  retention: RetentionConfig;
  /** The file to which removals are mirrored. If empty, they are in the database only. */
  removalsFile: string;
  /** Folders on the machine of the worker whose disk must not be full, by the name of the setting. */
  folders: Readonly<Record<string, string>>;
  logLevel: LogLevel;
}

/** The number of days that rows are kept. 0 means forever. */
export interface RetentionConfig {
  rejectedDays: number;
  deliveryDays: number;
  mailDays: number;
  eventDays: number;
  auditDays: number;
  /** The activity of keys: from which addresses they were used. */
  keyActivityDays: number;
  /** The default for organizations without a value of their own. */
  telemetryDays: number;
  /** The folder where readings are archived before they are dropped. If empty, they are not archived. */
  archiveFolder: string;
}

export const readWorkerConfig = (environment: Environment): WorkerConfig => readSettings(environment, workerSettings);

export const workerSettings = (setting: SettingReader): WorkerConfig => ({
  ...databaseSettings(setting, 'WORKER_DATABASE_URL'),
  webhooks: webhookSettings(setting),
  mail: mailSettings(setting),
  secretsKeys: requiredSecretsKeys(setting),
  publicUrl: setting.text('PUBLIC_URL', '').replace(/\/+$/, ''),
  hasConsole: consoleSetting(setting),
  retention: retentionSettings(setting),
  removalsFile: setting.text('REMOVALS_FILE', ''),
  folders: {
    ...diskFolders(setting),
    RETENTION_ARCHIVE_FOLDER: setting.text('RETENTION_ARCHIVE_FOLDER', ''),
  },
  logLevel: logLevelSetting(setting),
});

const MAX_RETENTION_DAYS = 36_500;

function retentionSettings(setting: SettingReader): RetentionConfig {
  const days = (name: string, fallback: number): number => setting.integer(name, fallback, 0, MAX_RETENTION_DAYS);
  const auditDays = days('RETENTION_AUDIT_DAYS', 1_095);
  // The database refuses to delete younger rows.
  if (auditDays > 0 && auditDays < 30) setting.addError('RETENTION_AUDIT_DAYS must be 0 or at least 30');
  const telemetryDays = days('RETENTION_TELEMETRY_DAYS', 0);
  // A re-evaluation may still need younger readings.
  if (telemetryDays > 0 && telemetryDays < 90) setting.addError('RETENTION_TELEMETRY_DAYS must be 0 or at least 90');
  return {
    rejectedDays: days('RETENTION_REJECTED_DAYS', 90),
    deliveryDays: days('RETENTION_DELIVERIES_DAYS', 90),
    mailDays: days('RETENTION_MAILS_DAYS', 400),
    eventDays: days('RETENTION_EVENTS_DAYS', 1_095),
    auditDays,
    keyActivityDays: days('RETENTION_KEY_ACTIVITY_DAYS', 30),
    telemetryDays,
    archiveFolder: setting.text('RETENTION_ARCHIVE_FOLDER', ''),
  };
}
