import type { DoctorConfig } from '../settings/command_settings.ts';
import { errorCode } from '../values/error_code.ts';
import { reasonOf } from '../values/error_reason.ts';
import { type CheckFinding, finding, type NotChecked, notConfigured } from './finding.ts';

const TIMEOUT_MS = 8_000;

/** Connects to the mail server and logs in, as the worker does. It sends no mail. */
export async function checkSmtp({ smtp }: DoctorConfig): Promise<CheckFinding[] | NotChecked> {
  if (smtp === null) return notConfigured('SMTP_URL');
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: smtp.smtpUrl,
    requireTLS: smtp.requiresTls,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
  });
  try {
    await transport.verify();
    return [];
  } catch (error) {
    return [describeFailure(error)];
  } finally {
    transport.close();
  }
}

function describeFailure(error: unknown): CheckFinding {
  const reason = reasonOf(error);
  const code = errorCode(error);
  if (code === 'EAUTH') {
    return finding(`the mail server refuses the login: ${reason}`, 'check user and password in SMTP_URL');
  }
  if (code === 'ETLS') {
    return finding(
      `the mail server cannot be used with TLS: ${reason}`,
      'enable STARTTLS at the mail server with a valid certificate, or use smtps://; set SMTP_REQUIRE_TLS=false only if the network is trusted',
    );
  }
  return finding(
    `the mail server cannot be reached: ${reason}`,
    'check that it runs and that host and port in SMTP_URL are correct; mails are retried for three and a half hours',
  );
}
