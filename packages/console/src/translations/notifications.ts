import { withArticle } from './spanish_times.ts';

const en = {
  title: 'Notifications',
  intro:
    'A loss, and an empty tank that nobody takes on, show a notification on this device, also while the console is closed. While you look at the console, it makes no sound.',
  here: 'This browser',
  on: 'Notifications are on.',
  off: 'Notifications are off.',
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  test: 'Send a test',
  tested: 'A test is on its way. It appears within seconds.',
  denied:
    'This browser does not allow notifications for this page. Allow them in the settings of the browser, and try again.',
  unsupported:
    'This browser cannot show notifications. On an iPhone, add this page to the home screen first (Share, then Add to Home Screen), and open it from there.',
  notReady: 'Notifications are not set up yet. Try again in a minute.',
  personOnly: 'Sign in with your own email address to get notifications.',
  failed: 'This did not work. Try again.',
  tooMany: 'Ten tests were sent to you today. Try again tomorrow.',
  others: 'Your other browsers',
  since: (at: string) => `on since ${at}`,
  what: 'What reaches you',
  channels: { text: 'Text', push: 'Browser' },
  severities: {
    loss: 'A loss, or an empty tank in steps',
    low_by: 'A tank is low',
    other_by: 'Other events that you get by email',
  },
  inSteps: 'in steps, by the plan',
  whatHelp:
    'Texts need a verified phone number. Quiet hours hold back everything except a loss. Events of devices come by email only.',
  remove: 'Remove',
  removeOf: (name: string) => `Remove ${name}`,
};

const es: typeof en = {
  title: 'Avisos',
  intro:
    'Una pérdida, o un tanque vacío del que nadie se ocupa, muestra un aviso en este dispositivo, también con la consola cerrada. Mientras usted mira la consola, el aviso no suena.',
  here: 'Este navegador',
  on: 'Los avisos están activados.',
  off: 'Los avisos están desactivados.',
  turnOn: 'Activar',
  turnOff: 'Desactivar',
  test: 'Enviar una prueba',
  tested: 'La prueba está en camino. Aparece en unos segundos.',
  denied:
    'Este navegador no permite avisos de esta página. Permítalos en los ajustes del navegador e inténtelo de nuevo.',
  unsupported:
    'Este navegador no puede mostrar avisos. En un iPhone, primero agregue esta página a la pantalla de inicio (Compartir, luego Añadir a pantalla de inicio) y ábrala desde allí.',
  notReady: 'Los avisos aún no están configurados. Inténtelo de nuevo en un minuto.',
  personOnly: 'Entre con su propia dirección de correo para recibir avisos.',
  failed: 'No funcionó. Inténtelo de nuevo.',
  tooMany: 'Hoy ya se le enviaron diez pruebas. Inténtelo mañana.',
  others: 'Sus otros navegadores',
  since: (at: string) => `activado desde ${withArticle(at)}`,
  what: 'Qué le llega',
  channels: { text: 'Mensaje', push: 'Navegador' },
  severities: {
    loss: 'Una pérdida, o un tanque vacío por pasos',
    low_by: 'Un tanque está bajo',
    other_by: 'Otros eventos que recibe por correo',
  },
  inSteps: 'por pasos, según el plan',
  whatHelp:
    'Los mensajes necesitan un teléfono verificado. El horario de silencio retiene todo, excepto una pérdida. Los eventos de dispositivos llegan solo por correo.',
  remove: 'Quitar',
  removeOf: (name: string) => `Quitar ${name}`,
};

export const NOTIFICATION_TEXTS = { en, es };
