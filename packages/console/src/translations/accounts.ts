const en = {
  with: (label: string) => `Sign in with ${label}`,
  failed: 'The sign-in service of your organization does not answer. Try again in a minute.',
  noIssuer: 'Nobody can sign in with this address here. Ask your administrator.',
  or: 'or with your email:',
  useMail: 'Send me an email instead',
  signedOut: 'You are signed out here. You are still signed in at the sign-in service of your organization.',
  signOutThere: 'Sign out there too',
  remindersOff: (since: string) => `Reminders about low tanks have been off since ${since}.`,
  remindersOn: 'Send me reminders again',
  remindersFailed: 'Not saved. Try again.',
  noReminders: (since: string) => `no reminders since ${since}`,
  heading: 'Your sign-in',
  linkHelp: 'After linking you sign in with your organization’s account, and no longer by email.',
  link: (label: string) => `Link with ${label}`,
  roles: { viewer: 'viewer', dispatcher: 'dispatcher', technician: 'technician', administrator: 'administrator' },
};

const es: typeof en = {
  with: (label) => `Iniciar sesión con ${label}`,
  failed: 'El servicio de acceso de su organización no responde. Inténtelo de nuevo en un minuto.',
  noIssuer: 'Aquí nadie puede entrar con esta dirección. Pregunte a su administrador.',
  or: 'o con su correo:',
  useMail: 'Enviarme un correo en su lugar',
  signedOut: 'Cerró la sesión aquí. Sigue abierta en el servicio de acceso de su organización.',
  signOutThere: 'Cerrarla también allí',
  remindersOff: (since) => `No recibe recordatorios sobre tanques con nivel bajo desde el ${since}.`,
  remindersOn: 'Recibir recordatorios de nuevo',
  remindersFailed: 'No se guardó. Inténtelo de nuevo.',
  noReminders: (since) => `sin recordatorios desde el ${since}`,
  heading: 'Su acceso',
  linkHelp: 'Después de vincular, entrará con la cuenta de su organización, y ya no por correo.',
  link: (label) => `Vincular con ${label}`,
  roles: {
    viewer: 'solo consulta',
    dispatcher: 'despachador',
    technician: 'técnico',
    administrator: 'administrador',
  },
};

/** Texts about accounts: roles, reminders, and the sign-in with OpenID Connect. */
export const ACCOUNT_TEXTS = { en, es };
