const en = {
  /** The message to the driver, in the language of the organization. */
  message: (day: string, stops: string, truck: string, url: string) =>
    `Your round of ${day}: ${stops}, ${truck}. ${url}`,
  subject: (day: string) => `Round of ${day}`,
  sms: 'SMS',
  whatsApp: 'WhatsApp',
  mail: 'Email',
  sendHelp:
    'SMS, WhatsApp and Email open the app of this device with the text ready. Nothing is sent until you send it there.',
  askSent: (way: string) => `Did you send it by ${way}?`,
  sentYes: 'Yes, sent',
  sentNo: 'Not sent',
  sent: (way: string, time: string) => `Sent by ${way}, ${time}.`,
  more: 'More',
  askEnd:
    'End all links of this round? The driver’s page then shows nothing and accepts nothing until you send a new link.',
};

const es: typeof en = {
  message: (day, stops, truck, url) => `Su ruta del ${day}: ${stops}, ${truck}. ${url}`,
  subject: (day) => `Ruta del ${day}`,
  sms: 'SMS',
  whatsApp: 'WhatsApp',
  mail: 'Correo',
  sendHelp:
    'SMS, WhatsApp y Correo abren la aplicación de este equipo con el texto listo. No se envía nada hasta que usted lo envíe ahí.',
  askSent: (way) => `¿Lo envió por ${way}?`,
  sentYes: 'Sí, enviado',
  sentNo: 'No se envió',
  sent: (way, time) => `Enviado por ${way}, ${time}.`,
  more: 'Más',
  askEnd:
    '¿Terminar todos los enlaces de esta ruta? La página del chofer deja de mostrarla y de aceptar datos, hasta que le envíe un enlace nuevo.',
};

/** Texts of the link for the driver, and of the message that contains it. */
export const DRIVER_LINK_TEXTS = { en, es };
