import { readSmtpConfig } from '../settings/command_settings.ts';

/**
 * A line below the result of a command that causes mails, because a worker without a mail server does not report that it sends none.
 * Call it before the change, because it throws if SMTP_URL is invalid.
 */
export const smtpHint = (): string =>
  readSmtpConfig(process.env) === null
    ? '\nSMTP_URL is not set here. If the worker has no SMTP_URL either, it sends no mails: ' +
      'set SMTP_URL, MAIL_FROM, PUBLIC_URL and LINK_SECRET for the worker and restart it'
    : '';
