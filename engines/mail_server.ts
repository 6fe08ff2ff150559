import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  to: string[];
  /** The headers by lower-case name, with folded lines joined. */
  headers: Record<string, string>;
  subject: string;
  text: string;
  html: string;
}

export interface MailServer {
  /** smtp://host:port, without a login. */
  url: string;
  stop(): Promise<void>;
}

export interface MailServerOptions {
  onMail: (mail: ReceivedMail) => void;
  /** Called for each recipient: `answer()` accepts it, `answer(error)` refuses it with the `responseCode` of the error. */
  onRecipient?: (answer: (error?: Error) => void, address: string) => void;
  /** If true, every sender is refused with status 550, as if a quota were used up. */
  refusesSenders?: () => boolean;
  /** The address to listen on. */
  host?: string;
}

/** Starts an SMTP server on this machine that accepts mails and sends none. */
export async function startMailServer({
  onMail,
  onRecipient,
  refusesSenders = () => false,
  host = '127.0.0.1',
}: MailServerOptions): Promise<MailServer> {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onMailFrom(_address, _session, callback) {
      if (refusesSenders()) callback(Object.assign(new Error('quota exceeded'), { responseCode: 550 }));
      else callback();
    },
    onRcptTo({ address }, _session, callback) {
      if (onRecipient) onRecipient(callback, address);
      else callback();
    },
    onData(stream, session, callback) {
      let raw = '';
      stream.setEncoding('latin1');
      stream.on('data', (chunk: string) => {
        raw += chunk;
      });
      stream.on('end', () => {
        onMail(
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
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
  return {
    url: `smtp://${host}:${address.port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
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
