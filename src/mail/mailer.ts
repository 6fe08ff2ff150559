import type { Db } from '../db/pool.ts';
import { readLinkSecret } from '../keys/own_secrets.ts';
import type { MailConfig } from '../settings/mail_settings.ts';
import { NO_EMAIL_DOMAIN } from '../values/no_email.ts';
import { type LinkKind, makeLink } from './signed_links.ts';
import { type Mail, SmtpRefusedError, SmtpSender } from './smtp.ts';
import type { TankUrl } from './tank_facts.ts';

export interface LinkCustomer {
  id: string;
  email: string;
  organization: { no: number; code: string };
}

/** Sends the worker's mails, and makes the links in them. */
export class Mailer {
  readonly #config: MailConfig;
  readonly #smtp: SmtpSender;
  readonly #beforeSend: (() => Promise<void>) | undefined;

  constructor(
    config: MailConfig,
    smtp: SmtpSender = new SmtpSender(config, config.concurrency),
    beforeSend?: () => Promise<void>,
  ) {
    this.#config = config;
    this.#smtp = smtp;
    this.#beforeSend = beforeSend;
  }

  /** The same mailer with a check right before each mail. The mail is not sent if the check throws. */
  withCheck(beforeSend: () => Promise<void>): Mailer {
    return new Mailer(this.#config, this.#smtp, beforeSend);
  }

  /**
   * Returns false if the recipient has no known address (NO_EMAIL_DOMAIN), or if the server rejected the recipient permanently.
   * Throws if a retry can succeed. The message of the
   * error does not contain the server's reply, because that can contain the recipient's address.
   */
  async send(mail: Mail): Promise<boolean> {
    if (mail.to.endsWith(NO_EMAIL_DOMAIN)) return false;
    await this.#beforeSend?.();
    try {
      await this.#smtp.send(mail);
      return true;
    } catch (error) {
      if (error instanceof SmtpRefusedError && error.isPermanent) return false;
      // oxlint-disable-next-line preserve-caught-error -- its `answer` contains the address and would be logged
      throw error instanceof SmtpRefusedError ? new Error(error.message) : error;
    }
  }

  /** The address of the console; null if it is not served. */
  get consoleUrl(): string | null {
    const { publicUrl, hasConsole } = this.#config;
    return hasConsole ? `${publicUrl}/console` : null;
  }

  signInUrl(token: string): string {
    return `${this.#config.publicUrl}/session/links/${token}`;
  }

  /** The page of a tank for a recipient. A recipient who may not use the console gets no link. */
  tankUrl(recipient: { has_console: boolean }): TankUrl {
    const consoleUrl = this.consoleUrlOf(recipient);
    return (tankId) => (consoleUrl === undefined ? undefined : `${consoleUrl}/tanks/${tankId}`);
  }

  /** The address of the console for a recipient; undefined if the recipient may not use it. */
  consoleUrlOf(recipient: { has_console: boolean }): string | undefined {
    return recipient.has_console ? (this.consoleUrl ?? undefined) : undefined;
  }

  /** The URL of a signed link for a customer. */
  async linkFor(db: Db, kind: LinkKind, customer: LinkCustomer): Promise<string> {
    const secret = await readLinkSecret(db, this.#config.links, customer.organization);
    return `${this.#config.publicUrl}/links/${makeLink(secret, kind, customer.id, customer.email, Date.now())}`;
  }

  close(): void {
    this.#smtp.close();
  }
}
