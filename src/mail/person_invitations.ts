import type { Db } from '../db/pool.ts';
import type { MailOutcome } from './event_mails.ts';
import type { MailContent } from './layout.ts';
import type { Language } from './locale.ts';
import { frameOf, type MailOrganization, organizationForContactSql, writerFor } from './mail_organization.ts';
import type { Mailer } from './mailer.ts';

/** An invitation can be used for this many days. The database function `invite_contact` has the same number. */
export const INVITATION_DAYS = 7;

const ENGLISH = {
  subject: (organization: string) => `${organization} invites you to its console`,
  heading: 'Your invitation',
  access: (organization: string) =>
    `${organization} has given you access to its console, which shows the levels of its tanks.`,
  /** How to sign in for the first time: with the link, or with the sign-in service of the organization. */
  begin: {
    link: 'Open this link to sign in. You need no password.',
    issuer: (label: string) => `Sign in with your account of ${label}.`,
  },
  button: { link: 'Sign in', issuer: (label: string) => `Sign in with ${label}` },
  validity: (address: string, console: string) =>
    `The link is valid once, for ${INVITATION_DAYS} days. Later you sign in at ${console} with your address ${address}.`,
  notExpected: 'If you did not expect this email, ignore it.',
  keepLink: 'Do not pass it on: whoever has the link can sign in.',
};

const TEXTS: Readonly<Record<Language, typeof ENGLISH>> = {
  en: ENGLISH,
  es: {
    subject: (organization) => `${organization} le invita a su consola`,
    heading: 'Su invitación',
    access: (organization) => `${organization} le ha dado acceso a su consola, que muestra los niveles de sus tanques.`,
    begin: {
      link: 'Abra este enlace para iniciar sesión. No necesita contraseña.',
      issuer: (label) => `Inicie sesión con su cuenta de ${label}.`,
    },
    button: { link: 'Iniciar sesión', issuer: (label) => `Iniciar sesión con ${label}` },
    validity: (address, console) =>
      `El enlace sirve una sola vez, durante ${INVITATION_DAYS} días. Después inicie sesión en ${console} con su dirección ${address}.`,
    notExpected: 'Si no esperaba este correo, ignórelo.',
    keepLink: 'No lo reenvíe: quien tenga el enlace puede iniciar sesión.',
  },
};

/** The way to sign in for the first time: the link of the mail, or the sign-in service of the organization. */
type InvitationWay = { link: string } | { issuerLabel: string };

/** Mails an invitation to a contact, unless the contact may no longer use the console. */
export async function mailPersonInvitation(
  db: Db,
  mailer: Mailer,
  { signInNo, contactNo, consoleUrl }: { signInNo: number; contactNo: number; consoleUrl: string },
  way: InvitationWay,
): Promise<MailOutcome> {
  const { rows } = await db.query<{ name: string | null; email: string; organization: MailOrganization }>(
    `select c.name, c.email, ${organizationForContactSql('c')} as organization
     from contacts c join organizations o on o.no = c.organization_no and o.deleted_at is null
     where c.no = $1 and c.has_console and c.deleted_at is null`,
    [contactNo],
  );
  const [person] = rows;
  if (person === undefined) return 'skipped';
  const isSent = await mailer.send({
    to: person.email,
    replyTo: person.organization.reply_to,
    content: personInvitationMail(person, consoleUrl, way),
    messageKey: `invitation.${signInNo}.${Date.now()}`,
  });
  return isSent ? 'sent' : 'rejected';
}

/** A name with an address in it would make the mail an advertisement for that address. */
const looksLikeAddress = (name: string): boolean => /[:/@]|www\./i.test(name) || name.length > 60;

export function personInvitationMail(
  { name, email, organization }: { name: string | null; email: string; organization: MailOrganization },
  consoleUrl: string,
  way: InvitationWay,
): MailContent {
  const writer = writerFor(organization);
  const texts = TEXTS[writer.formats.language];
  const paragraph = (text: string) => ({ kind: 'paragraph', text }) as const;
  return {
    ...frameOf(organization, writer, { hasTimes: false }),
    subject: texts.subject(organization.name),
    heading: texts.heading,
    tone: 'neutral',
    blocks: [
      ...(name === null || looksLikeAddress(name) ? [] : [paragraph(writer.texts.greeting(name))]),
      paragraph(texts.access(organization.name)),
      ...('link' in way
        ? [
            paragraph(texts.begin.link),
            { kind: 'button', label: texts.button.link, url: way.link } as const,
            paragraph(texts.validity(email, consoleUrl)),
          ]
        : [
            paragraph(texts.begin.issuer(way.issuerLabel)),
            { kind: 'button', label: texts.button.issuer(way.issuerLabel), url: consoleUrl } as const,
          ]),
      paragraph('link' in way ? `${texts.notExpected} ${texts.keepLink}` : texts.notExpected),
    ],
  };
}
