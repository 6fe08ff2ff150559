import { readSmtpConfig } from '../settings/command_settings.ts';

/**
 * A line below the outcome of a command that leads to mails: a worker without a mail server keeps silent about them. Read it
 * before the change, because it throws if SMTP_URL is invalid.
 */
export const smtpHint = (): string =>
  readSmtpConfig(process.env) === null
    ? '\nSMTP_URL is not set here. If the worker has none either, it sends no mails until it has: ' +
      'set SMTP_URL, MAIL_FROM, PUBLIC_URL and LINK_SECRET for the worker and restart it'
    : '';
