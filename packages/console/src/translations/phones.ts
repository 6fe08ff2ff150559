const en = {
  title: 'Phones',
  number: 'Phone',
  whose: 'Whose',
  whoseHelp: 'such as: Office, Mon to Fri',
  first: 'Call first',
  text: 'Text for a loss',
  textHelp: '“Text for a loss” marks the numbers that you text. Tankwatch sends customers no texts.',
  add: 'Add a phone',
  remove: (number: string) => `Remove ${number === '' ? 'this phone' : number}`,
  numberMissing: 'Write the number.',
  callFirst: 'call first',
  texted: 'text for a loss',
  textNumber: (number: string) => `Text ${number}`,
};

const es: typeof en = {
  title: 'Teléfonos',
  number: 'Teléfono',
  whose: 'De quién',
  whoseHelp: 'por ejemplo: Oficina, lun a vie',
  first: 'Llamar primero',
  text: 'Mensaje si hay pérdida',
  textHelp:
    '“Mensaje si hay pérdida” marca los números a los que usted escribe. Tankwatch no envía mensajes a los clientes.',
  add: 'Agregar un teléfono',
  remove: (number) => `Quitar ${number === '' ? 'este teléfono' : number}`,
  numberMissing: 'Escriba el número.',
  callFirst: 'llamar primero',
  texted: 'mensaje si hay pérdida',
  textNumber: (number) => `Escribir a ${number}`,
};

export const PHONE_TEXTS = { en, es };
