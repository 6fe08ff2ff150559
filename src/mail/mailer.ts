import { createTransport } from 'nodemailer';
import type { MailConfig } from '../config.ts';
import type { Db } from '../db/pool.ts';
import { readLinkSecret } from '../keys/own_secrets.ts';
import { type MailContent, renderHtml, renderText } from './layout.ts';
import { type LinkKind, makeLink } from './signed_links.ts';

export interface Mail {
  to: string;
  content: MailContent;
  /** Becomes the Message-ID. A mail that is sent twice keeps it, so that mail programs can show it once. */
  messageKey: string;
  /** The URL for one-click unsubscribe (RFC 8058). */
  unsubscribeUrl?: string;
}

export interface LinkCustomer {
  id: string;
  email: string;
  organization: { no: number; code: string };
}

/** Sends mails over SMTP. */
export class Mailer {
  readonly #config: MailConfig;
  readonly #transport: ReturnType<typeof openTransport>;
  readonly #domain: string;

  constructor(config: MailConfig) {
    this.#config = config;
    this.#transport = openTransport(config);
    this.#domain = /@([^\s>]+)/.exec(config.from)?.[1] ?? 'localhost';
  }

  /**
   * Returns false if the server rejected the recipient permanently. Throws if a retry can succeed. The error does not
   * contain the server's message, because that can contain the recipient's address.
   */
  async send({ to, content, messageKey, unsubscribeUrl }: Mail): Promise<boolean> {
    const oneClick = {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    try {
      await this.#transport.sendMail({
        from: this.#config.from,
        to: { name: '', address: to },
        subject: content.subject,
        text: renderText(content),
        html: renderHtml(content),
        messageId: `<${messageKey}@${this.#domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated', ...(unsubscribeUrl === undefined ? {} : oneClick) },
      });
      return true;
    } catch (error) {
      const { code, status } = reasonOf(error);
      if (code === 'EENVELOPE' && status >= 500) return false;
      // oxlint-disable-next-line preserve-caught-error -- the cause contains the address and would be logged
      throw new Error(`the mail server did not accept a mail (${code}${status > 0 ? ` ${status}` : ''})`);
    }
  }

  /** The URL of a signed link for a customer. */
  async linkFor(db: Db, kind: LinkKind, customer: LinkCustomer): Promise<string> {
    const secret = await readLinkSecret(db, this.#config.links, customer.organization);
    return `${this.#config.publicUrl}/links/${makeLink(secret, kind, customer.id, customer.email, Date.now())}`;
  }

  close(): void {
    this.#transport.close();
  }
}

function openTransport({ smtpUrl: url, requiresTls }: MailConfig) {
  return createTransport({
    url,
    requireTLS: requiresTls, // has no effect on smtps://, which is encrypted from the start
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
