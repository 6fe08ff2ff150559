import { databaseSettings, type LogLevel, logLevelSetting } from './role_settings.ts';
import { type Environment, readSettings, type SettingReader } from './setting_reader.ts';
import { keepMsSetting, type StreamConfig, streamSettings } from './stream_settings.ts';

export interface WriterConfig {
  databaseUrl: string;
  databaseSetting: string;
  stream: StreamConfig;
  /** The number of parallel transactions. */
  lanes: number;
  /** Whether readings are evaluated and events recorded. */
  isEvaluating: boolean;
  /** How long committed messages stay in the stream, for a replay after a restore. */
  keepMs: number;
  logLevel: LogLevel;
}

export const readWriterConfig = (environment: Environment): WriterConfig => readSettings(environment, writerSettings);

export const writerSettings = (setting: SettingReader): WriterConfig => ({
  ...databaseSettings(setting, 'WRITER_DATABASE_URL'),
  stream: streamSettings(setting, 'WRITER_NATS_URL'),
  lanes: setting.integer('WRITER_LANES', 2, 1, 16),
  isEvaluating: setting.oneOf('EVENTS', ['on', 'off'], 'on') === 'on',
  keepMs: keepMsSetting(setting),
  logLevel: logLevelSetting(setting),
});
