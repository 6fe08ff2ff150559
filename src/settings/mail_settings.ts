import { type LinkSecretsConfig, linkSecrets } from './secret_settings.ts';
import type { SettingReader } from './setting_reader.ts';
import { urlCharacterProblem } from './url_characters.ts';

export interface SmtpConfig {
  smtpUrl: string;
  /** Whether mails are sent only over a connection that is encrypted with STARTTLS. */
  requiresTls: boolean;
}

/** The mail server, and the sender of the mails. */
export interface SenderConfig extends SmtpConfig {
  from: string;
}

export interface MailConfig extends SenderConfig {
  publicUrl: string;
  links: LinkSecretsConfig;
  /** Whether the console is served: mails link to it, and people sign in by mail. */
  hasConsole: boolean;
  /** Days after which a reminder about a tank that is still low may be sent. 0 means no reminders. */
  reminderDays: number;
  /** The number of mails that are sent at a time, each over its own connection. */
  concurrency: number;
}

/** Null without SMTP_URL. Then no mails are sent. */
export function smtpSettings(setting: SettingReader): SmtpConfig | null {
  const smtpUrl = setting.matching(
    'SMTP_URL',
    /^(smtps?:\/\/.+)?$/,
    '',
    'an address such as smtp://user:password@host:587',
  );
  if (smtpUrl === '') return null;
  const broken = urlCharacterProblem(smtpUrl);
  if (broken !== undefined) setting.addError(`SMTP_URL ${broken}`);
  // A connection to a mail server on this machine needs no encryption, because mails and password cross no network.
  const isLocal = /^smtp:\/\/([^@/]*@)?(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|\?|$)/.test(smtpUrl);
  const requiresTls = setting.oneOf('SMTP_REQUIRE_TLS', ['true', 'false'], isLocal ? 'false' : 'true') === 'true';
  return { smtpUrl, requiresTls };
}

/** Null without SMTP_URL. With it, MAIL_FROM, PUBLIC_URL and LINK_SECRET are required. */
export function mailSettings(setting: SettingReader): MailConfig | null {
  const smtp = smtpSettings(setting);
  const reminderDays = setting.integer('MAIL_REMINDER_DAYS', 7, 0, 365);
  const concurrency = setting.integer('MAIL_CONCURRENCY', 4, 1, 100);
  if (smtp === null) return null;
  return {
    ...smtp,
    from: mailFrom(setting),
    publicUrl: setting
      .matching('PUBLIC_URL', /^https?:\/\/.+/, '', 'the public address of the API, such as https://tanks.example.com')
      .replace(/\/+$/, ''),
    links: linkSecrets(setting),
    hasConsole: consoleSetting(setting),
    reminderDays,
    concurrency,
  };
}

export const consoleSetting = (setting: SettingReader): boolean =>
  setting.oneOf('CONSOLE', ['on', 'off'], 'on') === 'on';

export const mailFrom = (setting: SettingReader): string =>
  setting.matching('MAIL_FROM', /@/, '', 'an address such as "Gas del Valle <alerts@example.com>"');
