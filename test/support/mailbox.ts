import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { onTestFinished } from 'vitest';

export interface ReceivedMail {
  to: string[];
  /** By lower-case name, with folded lines joined. */
  headers: Record<string, string>;
  subject: string;
  text: string;
  html: string;
}

export interface Mailbox {
  url: string;
  mails: ReceivedMail[];
  /** If set, recipients are rejected with this status and message. */
  refusal: { status: number; message: string } | undefined;
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
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo(_address, _session, callback) {
      const { refusal, isHanging } = mailbox;
      if (isHanging) mailbox.hung++;
      else if (refusal) callback(Object.assign(new Error(refusal.message), { responseCode: refusal.status }));
      else callback();
    },
    onData(stream, session, callback) {
      let raw = '';
      stream.setEncoding('latin1');
      stream.on('data', (chunk: string) => {
        raw += chunk;
      });
      stream.on('end', () => {
        mailbox.mails.push(
          parseMail(
            raw,
            session.envelope.rcptTo.map((recipient) => recipient.address),
          ),
        );
        callback();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  mailbox.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return mailbox;
}

/** Parses the subset of MIME that our mails use: one multipart with a text and an HTML part. */
function parseMail(raw: string, to: string[]): ReceivedMail {
  const { headers, body } = splitHead(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => splitHead(part.replace(/^\r\n/, '')));
  const partOf = (type: string): string => {
    const part = parts.find((candidate) => candidate.headers['content-type']?.startsWith(type));
    return part === undefined ? '' : decodeBody(part.body, part.headers['content-transfer-encoding'] ?? '');
  };
  const subject = (headers['subject'] ?? '')
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/g, (_, encoding: string, text: string) =>
      encoding === 'B' ? Buffer.from(text, 'base64').toString() : decodeQuoted(text.replaceAll('_', ' ')),
    );
  return { to, headers, subject, text: partOf('text/plain'), html: partOf('text/html') };
}

function splitHead(message: string): { headers: Record<string, string>; body: string } {
  const end = message.indexOf('\r\n\r\n');
  const lines = message
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { headers, body: message.slice(end + 4) };
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  return encoding === 'quoted-printable' ? decodeQuoted(body.replace(/=\r\n/g, '')) : body;
}

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();
