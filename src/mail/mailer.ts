import { createTransport } from 'nodemailer';
import type { MailConfig } from '../config.ts';
import { type MailContent, renderHtml, renderText } from './layout.ts';
import { type LinkKind, makeLink } from './signed_links.ts';

export interface Mail {
  to: string;
  letter: MailContent;
  /** The same for the same mail, so that one sent twice is shown once. */
  messageKey: string;
  /** Where one click ends mails of this kind (RFC 8058). */
  unsubscribeUrl?: string;
}

/** Sends letters over SMTP. */
export class Mailer {
  readonly #config: MailConfig;
  readonly #transport: ReturnType<typeof openTransport>;
  readonly #domain: string;

  constructor(config: MailConfig) {
    this.#config = config;
    this.#transport = openTransport(config.smtpUrl);
    this.#domain = /@([^\s>]+)/.exec(config.from)?.[1] ?? 'localhost';
  }

  /**
   * False where the server will never take it, so that there is no point in trying again. Throws where there is, and
   * never repeats what the server said: that names the address.
   */
  async send({ to, letter, messageKey, unsubscribeUrl }: Mail): Promise<boolean> {
    const oneClick = {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    try {
      await this.#transport.sendMail({
        from: this.#config.from,
        to: { name: '', address: to },
        subject: letter.subject,
        text: renderText(letter),
        html: renderHtml(letter),
        messageId: `<${messageKey}@${this.#domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated', ...(unsubscribeUrl === undefined ? {} : oneClick) },
      });
      return true;
    } catch (error) {
      const { code, status } = reasonOf(error);
      if (code === 'EENVELOPE' && status >= 500) return false;
      // oxlint-disable-next-line preserve-caught-error -- the cause names the address, and would be logged
      throw new Error(`the mail server did not take a mail (${code}${status > 0 ? ` ${status}` : ''})`);
    }
  }

  /** Where a link for this customer leads. */
  linkFor(kind: LinkKind, customerId: string, email: string): string {
    return `${this.#config.publicUrl}/links/${makeLink(this.#config.linkSecret, kind, customerId, email, Date.now())}`;
  }

  close(): void {
    this.#transport.close();
  }
}

function openTransport(url: string) {
  return createTransport({
    url,
    pool: true,
    maxConnections: 4,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function reasonOf(error: unknown): { code: string; status: number } {
  const read = (name: string): unknown => (error instanceof Error ? Reflect.get(error, name) : undefined);
  const [code, status] = [read('code'), read('responseCode')];
  return { code: typeof code === 'string' ? code : 'unknown', status: typeof status === 'number' ? status : 0 };
}
