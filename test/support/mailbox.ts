import { onTestFinished } from 'vitest';
import { type ReceivedMail, startMailServer } from '../../engines/mail_server.ts';

export interface Mailbox {
  url: string;
  mails: ReceivedMail[];
  /** If set, recipients are rejected with this status and message: the one with the address `of`, or all. */
  refusal: { status: number; message: string; of?: string } | undefined;
  /** If true, recipients are neither accepted nor rejected. */
  isHanging: boolean;
  /** Number of recipients left without a reply. */
  hung: number;
  of(address: string): ReceivedMail[];
}

/** Starts an SMTP server that keeps the mails it receives. */
export async function startMailbox(): Promise<Mailbox> {
  const mailbox: Mailbox = {
    url: '',
    mails: [],
    refusal: undefined,
    isHanging: false,
    hung: 0,
    of: (address) => mailbox.mails.filter((mail) => mail.to.includes(address)),
  };
  const server = await startMailServer({
    onMail: (mail) => mailbox.mails.push(mail),
    onRecipient(answer, address) {
      const { refusal, isHanging } = mailbox;
      if (isHanging) mailbox.hung++;
      else if (refusal && (refusal.of === undefined || refusal.of === address))
        answer(Object.assign(new Error(refusal.message), { responseCode: refusal.status }));
      else answer();
    },
  });
  mailbox.url = server.url;
  onTestFinished(() => server.stop());
  return mailbox;
}
