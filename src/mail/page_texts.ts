import type { Language } from './locale.ts';

const ENGLISH = {
  verify: (email: string, organization: string) =>
    `Do you want ${organization} to send emails to ${email} when one of your tanks is low or may be leaking?`,
  verifyButton: 'Yes, send me emails',
  verified: (organization: string) =>
    `Thank you. ${organization} will send you an email when one of your tanks is low or may be leaking.`,
  /** The label of a link to the console. */
  seeTanks: 'See my tanks',
  unsubscribe: (organization: string) =>
    `Do you want to stop the reminders from ${organization} about tanks that are low?`,
  unsubscribeButton: 'Unsubscribe from reminders',
  unsubscribed: 'You will get no more reminders. You still get one email when a tank becomes low or may be leaking.',
  resubscribeButton: 'Send me reminders again',
  resubscribed: (organization: string) => `${organization} will remind you again while one of your tanks stays low.`,
  invalid: 'This link has expired or is incomplete. Ask your supplier for a new one.',
  signIn: (organizations: string) => `Sign in to see the tanks of ${organizations}.`,
  signInButton: 'Sign in',
  /** Shown if the link was used or has expired. */
  signInGone: 'This link was used already or has expired. Each link is valid once, and only for a time.',
  signInAgain: 'Sign in again',
};

/** The texts of the pages that links in mails open. */
export type PageTexts = typeof ENGLISH;

export const PAGE_TEXTS: Readonly<Record<Language, PageTexts>> = {
  en: ENGLISH,
  es: {
    verify: (email, organization) =>
      `¿Desea que ${organization} le avise en ${email} cuando uno de sus tanques tenga nivel bajo o una posible fuga?`,
    verifyButton: 'Sí, avísenme',
    verified: (organization) =>
      `Gracias. ${organization} le avisará cuando uno de sus tanques tenga nivel bajo o una posible fuga.`,
    seeTanks: 'Ver mis tanques',
    unsubscribe: (organization) =>
      `¿Desea dejar de recibir los recordatorios de ${organization} sobre tanques con nivel bajo?`,
    unsubscribeButton: 'Dejar de recibir recordatorios',
    unsubscribed:
      'No recibirá más recordatorios. Le seguiremos avisando una vez cuando un tanque llegue a nivel bajo o tenga una posible fuga.',
    resubscribeButton: 'Recibir recordatorios de nuevo',
    resubscribed: (organization) =>
      `${organization} le recordará de nuevo mientras uno de sus tanques siga con nivel bajo.`,
    invalid: 'Este enlace venció o está incompleto. Pida uno nuevo a su proveedor.',
    signIn: (organizations) => `Inicie sesión para ver los tanques de ${organizations}.`,
    signInButton: 'Iniciar sesión',
    signInGone: 'Este enlace ya se usó o venció. Cada enlace sirve una vez, y solo por un tiempo.',
    signInAgain: 'Iniciar sesión de nuevo',
  },
};
