const en = {
  title: 'Sign in',
  key: 'API key',
  keyHelp: 'The operator of the service issues it. It has the form a0xxxxxxxxxx.secret.',
  submit: 'Sign in',
  submitting: 'Signing in …',
  wrong: 'This key is not valid. Check that you copied all of it, or ask the operator for a new key.',
  email: 'Email address',
  emailHelp:
    'The email address that your supplier has. We send you an email with a link and a code. You need no password.',
  send: 'Send me an email',
  sending: 'Sending …',
  wrongAddress: 'This is not an email address.',
  sent: (email: string) => `If ${email} is registered, an email is on its way. Open its link, or type its code here.`,
  sentHelp: 'The email can take a minute. Look in the spam folder too. The code is valid for 15 minutes.',
  code: '8-digit code',
  wrongCode: 'This code is wrong. Type the code of the newest email.',
  codeGone: 'This code is no longer valid. Ask for a new email.',
  tooMany: 'Too many attempts. Wait a few minutes and try again.',
  sendAgain: 'Send the email again',
  sentAgain: 'Sent. Only the newest code is valid.',
  otherAddress: 'Use another address',
  useKey: 'Use an API key instead',
  useMail: 'Use your email address instead',
  choose: 'What do you want to see?',
  allTanks: 'All tanks',
  ended: 'Your session ended.',
  endedHelp: 'Sign in to return to this page.',
  insecure: (address: string) =>
    `You cannot sign in at ${address}: it begins with http://, and browsers keep the cookie that signs you in only over https://.`,
  insecureHelp:
    'Open the address of the console that begins with https://. If it does not work, ask the operator of the service.',
};

const es: typeof en = {
  title: 'Iniciar sesión',
  key: 'Clave de API',
  keyHelp: 'Se la da el operador del servicio. Tiene la forma a0xxxxxxxxxx.secreto.',
  submit: 'Iniciar sesión',
  submitting: 'Iniciando sesión …',
  wrong: 'Esta clave no es válida. Revise que la copió completa o pida una nueva.',
  email: 'Correo electrónico',
  emailHelp: 'El correo que tiene registrado su proveedor. Le enviamos un enlace y un código. No necesita contraseña.',
  send: 'Enviarme un correo',
  sending: 'Enviando …',
  wrongAddress: 'Esto no es una dirección de correo.',
  sent: (email) => `Si ${email} está registrado, le enviamos un correo. Abra el enlace o escriba aquí el código.`,
  sentHelp: 'El correo puede tardar un minuto. Revise también el correo no deseado. El código sirve 15 minutos.',
  code: 'Código de 8 dígitos',
  wrongCode: 'Este código no es correcto. Escriba el del correo más reciente.',
  codeGone: 'Este código ya no es válido. Pida un correo nuevo.',
  tooMany: 'Demasiados intentos. Espere unos minutos e intente de nuevo.',
  sendAgain: 'Enviar el correo de nuevo',
  sentAgain: 'Enviado. Solo sirve el código más reciente.',
  otherAddress: 'Usar otra dirección',
  useKey: 'Usar una clave de API',
  useMail: 'Usar su correo electrónico',
  choose: '¿Qué desea ver?',
  allTanks: 'Todos los tanques',
  ended: 'Su sesión terminó.',
  endedHelp: 'Inicie sesión y volverá a esta página.',
  insecure: (address) =>
    `No puede iniciar sesión en ${address}: empieza con http://, y los navegadores guardan la cookie de la sesión solo con https://.`,
  insecureHelp:
    'Abra la dirección de la consola que empieza con https://. Si no funciona, pregunte al operador del servicio.',
};

/** Texts of the sign-in page. */
export const SIGN_IN_TEXTS = { en, es };
