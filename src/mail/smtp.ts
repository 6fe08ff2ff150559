import { createTransport } from 'nodemailer';
import type { SenderConfig } from '../settings/mail_settings.ts';
import { renderHtml } from './html.ts';
import { type MailContent, oneLine, renderText } from './layout.ts';

export interface Mail {
  to: string;
  /** The address for replies; null for the address of the sender. */
  replyTo: string | null;
  content: MailContent;
  /** Becomes the Message-ID. A mail that is sent twice keeps it, so that mail programs can show it once. */
  messageKey: string;
  /** The URL for one-click unsubscribe (RFC 8058). */
  unsubscribeUrl?: string;
}

/** Thrown if the mail server did not accept a mail. */
export class SmtpRefusedError extends Error {
  override readonly name = 'SmtpRefusedError';
  /** True if the server rejected the recipient permanently, so that a retry cannot succeed. */
  readonly isPermanent: boolean;
  /** The reply of the server, or the failure before it. It can contain the recipient's address, so it must never be logged. */
  readonly answer: string;

  constructor(error: unknown) {
    const read = (name: string): unknown => (error instanceof Error ? Reflect.get(error, name) : undefined);
    const [code, status, response] = [read('code'), read('responseCode'), read('response')];
    const reason = `${typeof code === 'string' ? code : 'unknown'}${typeof status === 'number' ? ` ${status}` : ''}`;
    super(`the mail server did not accept a mail (${reason})`);
    // EENVELOPE is also the code of a refused sender (MAIL FROM) and of a refused DATA, which no recipient causes.
    const isOfRecipient = code === 'EENVELOPE' && read('command') === 'RCPT TO';
    this.isPermanent = isOfRecipient && typeof status === 'number' && status >= 500;
    this.answer = typeof response === 'string' ? response : error instanceof Error ? error.message : 'unknown error';
  }
}

/** Renders mails and sends them over SMTP. */
export class SmtpSender {
  readonly #config: SenderConfig;
  readonly #transport: ReturnType<typeof openTransport>;
  readonly #domain: string;

  constructor(config: SenderConfig, connections = 1) {
    this.#config = config;
    this.#transport = openTransport(config, connections);
    this.#domain = /@([^\s>]+)/.exec(config.from)?.[1] ?? 'localhost';
  }

  /** Returns the reply of the server. Throws SmtpRefusedError. */
  async send({ to, replyTo, content, messageKey, unsubscribeUrl }: Mail): Promise<string> {
    const oneClick = {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    try {
      const { response } = await this.#transport.sendMail({
        from: this.#config.from,
        // Passed as objects, so that a comma or a bracket in an address does not create a second recipient.
        to: { name: '', address: to },
        ...(replyTo === null ? {} : { replyTo: { name: oneLine(content.from), address: replyTo } }),
        subject: oneLine(content.subject),
        text: renderText(content),
        html: renderHtml(content),
        messageId: `<${messageKey}@${this.#domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated', ...(unsubscribeUrl === undefined ? {} : oneClick) },
      });
      return response;
    } catch (error) {
      // oxlint-disable-next-line preserve-caught-error -- the cause contains the address and would be logged
      throw new SmtpRefusedError(error);
    }
  }

  close(): void {
    this.#transport.close();
  }
}

function openTransport({ smtpUrl: url, requiresTls }: SenderConfig, maxConnections: number) {
  return createTransport({
    url,
    requireTLS: requiresTls, // has no effect on smtps://, which is encrypted from the start
    pool: true,
    maxConnections,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
