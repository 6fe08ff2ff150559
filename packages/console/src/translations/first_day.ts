const en = {
  title: 'Six steps until your tanks are watched',
  progress: (done: number, steps: number) => `${done} of ${steps} done`,
  states: { done: 'Done', next: 'Next', open: 'Open' },
  administrator: 'An administrator of your organization can do this.',
  nobodyWarned: 'Nobody is warned yet',
  untilThen:
    'No tank is watched and no email is sent until there are tanks, a first reading and a person who gets emails. Keep reading your gauges as before.',
  whatComes: 'What comes here',
  coming: {
    losing: 'always first, in red, with what to do',
    low: 'the tank that is empty soonest is first',
    soon: 'needs about two weeks of readings',
    refilled: 'the gauge beside the delivery note',
  },
  noMails: 'Nobody gets an email about a loss.',
  steps: {
    organization: { title: 'Your organization', help: '', action: '' },
    phone: {
      title: 'Emergency number and your phone',
      help: 'Emails and the driver’s page ask people to call it. The operator of the service enters it.',
      action: '',
    },
    tanks: {
      title: 'Customers and tanks',
      help: 'Import an Excel or CSV file, or add customers and their tanks by hand.',
      action: 'Import a file',
      otherAction: 'Add a customer by hand',
    },
    reading: {
      title: 'First device',
      help: 'You do it with a phone at the tank, which must be stored first. The first reading arrives within minutes.',
      action: 'Put a device on a tank',
    },
    mails: {
      title: 'Who gets emails',
      help: 'A loss must reach somebody at every hour.',
      action: 'Choose who gets emails',
    },
    people: {
      title: 'Colleagues',
      help: 'Dispatchers and technicians sign in by email. Drivers only need a link.',
      action: 'Add a colleague',
    },
  },
};

const es: typeof en = {
  title: 'Seis pasos hasta que se vigilen sus tanques',
  progress: (done, steps) => `${done} de ${steps} hechos`,
  states: { done: 'Hecho', next: 'Sigue', open: 'Pendiente' },
  administrator: 'Lo puede hacer un administrador de su organización.',
  nobodyWarned: 'Todavía no se avisa a nadie',
  untilThen:
    'No se vigila ningún tanque ni se envía ningún correo hasta que haya tanques, una primera lectura y una persona que reciba correos. Siga leyendo los indicadores como hasta ahora.',
  whatComes: 'Qué aparecerá aquí',
  coming: {
    losing: 'siempre primero, en rojo, con lo que hay que hacer',
    low: 'primero el tanque que se vacía antes',
    soon: 'hacen falta unas dos semanas de lecturas',
    refilled: 'el indicador junto a la nota de entrega',
  },
  noMails: 'Nadie recibe un correo cuando hay una pérdida.',
  steps: {
    organization: { title: 'Su organización', help: '', action: '' },
    phone: {
      title: 'Número de emergencia y su teléfono',
      help: 'Los correos y la página del chofer piden llamar a ese número. Lo registra el operador del servicio.',
      action: '',
    },
    tanks: {
      title: 'Clientes y tanques',
      help: 'Importe un archivo de Excel o CSV, o agregue a mano clientes y sus tanques.',
      action: 'Importar un archivo',
      otherAction: 'Agregar un cliente a mano',
    },
    reading: {
      title: 'Primer dispositivo',
      help: 'Se hace con un teléfono, junto al tanque, que ya debe estar guardado. La primera lectura llega en minutos.',
      action: 'Poner un dispositivo en un tanque',
    },
    mails: {
      title: 'Quién recibe correos',
      help: 'Una pérdida debe llegar a alguien a toda hora.',
      action: 'Elegir quién recibe correos',
    },
    people: {
      title: 'Colegas',
      help: 'Los despachadores y técnicos entran con un correo. Los choferes solo necesitan un enlace.',
      action: 'Agregar a un colega',
    },
  },
};

export const FIRST_DAY_TEXTS = { en, es };
