const en = {
  intro:
    'Clouds of makers and brokers that Tankwatch asks for readings. Devices that send to Tankwatch themselves need none of this.',
  noSources: 'There are no sources yet.',
  add: 'New source',
  addAndTry: 'Add and try',
  triedFirst: 'It is tried first: nothing is stored before you start it.',
  kinds: {
    otodata: 'Otodata cloud',
    tank_utility: 'Tank Utility',
    mqtt: 'MQTT broker',
    json: 'Any address that answers JSON',
  },
  about: {
    otodata: 'Nee-Vo readings of a company account',
    tank_utility: 'last reading of each tank',
    mqtt: 'rtl_433, ESPHome, Theengs, zigbee2mqtt, your own gateways',
    json: 'with a profile that says which field is what',
  },
  secrets: {
    otodata: 'Key',
    tank_utility: 'User and password, as user:password',
    mqtt: 'Password',
    json: 'Key or password',
  },
  name: 'Name',
  noName: 'Write a name.',
  address: 'Address',
  noBroker: 'Write an address that begins with mqtts://, and at least one topic.',
  user: 'User',
  topics: 'Topics',
  topicsHelp: 'One in a line: the filter, then the profile, then the level of the topic that names the device, from 0.',
  settings: 'Settings (JSON)',
  settingsHelp: 'The manual lists them under “Sources that must be asked”. {secret} stands for the key.',
  noSettings: 'This is not a JSON object.',
  secretHelp: 'It is encrypted, and never shown again.',
  secretStays: 'If you leave it empty, the stored one stays. After another address it must be given again.',
  from: 'Readings from',
  lastDays: (days: number) => (days === 1 ? 'the last day' : `the last ${days} days`),
  taken: 'Not saved: another source has this name, or there are 20 already.',
  changed: 'Somebody else has changed it. Try again.',
  counts: (tanks: string, tankCount: number, devices: string, deviceCount: number) =>
    `${tanks} ${tankCount === 1 ? 'tank' : 'tanks'}, ${devices} ${deviceCount === 1 ? 'device' : 'devices'}`,
  states: {
    works: (at: string) => `works, last success ${at}`,
    starting: 'begins to read',
    paused: (at: string) => `paused since ${at}`,
    failing: 'the last attempt failed',
    down: (at: string) => `down since ${at}`,
    refused: (at: string) => `the key is refused since ${at}`,
  },
  wait: (tanks: string, count: number) =>
    count === 1 ? 'One tank waits. It is not called silent.' : `${tanks} tanks wait, none is called silent.`,
  oneMail: 'Their levels show their age. Each contact got one email.',
  waitsForYou: 'It is not tried again until a key is entered, so that the account is not locked.',
  kind: 'Kind',
  lastSuccess: 'Last success',
  never: 'never',
  lastAnswer: 'Last answer',
  nextTry: (at: string) => `Next try: ${at}`,
  past: 'The past',
  backfill: (at: string) => `is read from ${at} on`,
  key: 'Key',
  keyStored: 'stored, never shown',
  none: 'none',
  try: 'Try now',
  tryOf: (name: string) => `Try ${name} now`,
  trying: 'It is asked …',
  tryWorked: (at: string, devices: string, count: number) =>
    `Works (${at}): ${devices} ${count === 1 ? 'device' : 'devices'} found.`,
  onTanks: (onTanks: string, others: string) => `${onTanks} on tanks, ${others} not.`,
  noMessage: 'No message came in five seconds.',
  nothingStored: 'Nothing is stored yet.',
  tryFailed: (at: string, reason: string) => `Does not work (${at}): ${reason}`,
  pause: 'Pause',
  pauseOf: (name: string) => `Pause ${name}`,
  start: 'Start',
  startOf: (name: string) => `Start ${name}`,
  change: 'Change',
  changeOf: (name: string) => `Change ${name}`,
  enterKey: 'Enter the key',
  remove: 'Remove …',
  removeOf: (name: string) => `Remove ${name}`,
  readingsStay: 'Readings stay. Its devices are called silent if they do not report another way.',
  downTitle: 'When a source is down',
  downMeans:
    'A source is called down after 15 minutes of failures. While it is down, and for one usual rhythm after, its devices are not called silent. Then two days are read again, and nothing counts twice.',
};

const es: typeof en = {
  intro:
    'Nubes de fabricantes y brókeres a los que Tankwatch pide lecturas. Los dispositivos que envían a Tankwatch no necesitan nada de esto.',
  noSources: 'Todavía no hay fuentes.',
  add: 'Fuente nueva',
  addAndTry: 'Agregar y probar',
  triedFirst: 'Primero se prueba: nada se guarda antes de que la inicie.',
  kinds: {
    otodata: 'Nube de Otodata',
    tank_utility: 'Tank Utility',
    mqtt: 'Bróker MQTT',
    json: 'Cualquier dirección que responde JSON',
  },
  about: {
    otodata: 'lecturas Nee-Vo de la cuenta de una empresa',
    tank_utility: 'última lectura de cada tanque',
    mqtt: 'rtl_433, ESPHome, Theengs, zigbee2mqtt, sus propias pasarelas',
    json: 'con un perfil que dice qué es cada campo',
  },
  secrets: {
    otodata: 'Clave',
    tank_utility: 'Usuario y contraseña, como usuario:contraseña',
    mqtt: 'Contraseña',
    json: 'Clave o contraseña',
  },
  name: 'Nombre',
  noName: 'Escriba un nombre.',
  address: 'Dirección',
  noBroker: 'Escriba una dirección que empiece con mqtts:// y al menos un tema.',
  user: 'Usuario',
  topics: 'Temas',
  topicsHelp:
    'Uno por línea: el filtro, después el perfil, después el nivel del tema que nombra el dispositivo, desde 0.',
  settings: 'Ajustes (JSON)',
  settingsHelp: 'El manual los describe en “Sources that must be asked”. {secret} representa la clave.',
  noSettings: 'Esto no es un objeto JSON.',
  secretHelp: 'Se guarda cifrada y no se muestra nunca más.',
  secretStays: 'Si la deja vacía, queda la guardada. Con otra dirección hay que escribirla de nuevo.',
  from: 'Lecturas desde',
  lastDays: (days) => (days === 1 ? 'el último día' : `los últimos ${days} días`),
  taken: 'No se guardó: otra fuente tiene este nombre, o ya hay 20.',
  changed: 'Otra persona la cambió. Inténtelo de nuevo.',
  counts: (tanks, tankCount, devices, deviceCount) =>
    `${tanks} ${tankCount === 1 ? 'tanque' : 'tanques'}, ${devices} ${deviceCount === 1 ? 'dispositivo' : 'dispositivos'}`,
  states: {
    works: (at) => `funciona, último éxito: ${at}`,
    starting: 'empieza a leer',
    paused: (at) => `en pausa desde: ${at}`,
    failing: 'el último intento falló',
    down: (at) => `no responde desde: ${at}`,
    refused: (at) => `rechaza la clave desde: ${at}`,
  },
  wait: (tanks, count) =>
    count === 1
      ? 'Un tanque espera. No se considera sin comunicación.'
      : `${tanks} tanques esperan; ninguno se considera sin comunicación.`,
  oneMail: 'Sus niveles muestran su antigüedad. Cada contacto recibió un correo.',
  waitsForYou: 'No se intenta de nuevo hasta que alguien introduzca una clave, para que la cuenta no se bloquee.',
  kind: 'Tipo',
  lastSuccess: 'Último éxito',
  never: 'nunca',
  lastAnswer: 'Última respuesta',
  nextTry: (at) => `Próximo intento: ${at}`,
  past: 'El pasado',
  backfill: (at) => `se lee desde: ${at}`,
  key: 'Clave',
  keyStored: 'guardada, no se muestra',
  none: 'ninguna',
  try: 'Probar ahora',
  tryOf: (name) => `Probar ${name} ahora`,
  trying: 'Se le pregunta …',
  tryWorked: (at, devices, count) =>
    `Funciona (${at}): ${devices} ${count === 1 ? 'dispositivo encontrado' : 'dispositivos encontrados'}.`,
  onTanks: (onTanks, others) => `${onTanks} en tanques, ${others} no.`,
  noMessage: 'No llegó ningún mensaje en cinco segundos.',
  nothingStored: 'Todavía no se guarda nada.',
  tryFailed: (at, reason) => `No funciona (${at}): ${reason}`,
  pause: 'Pausar',
  pauseOf: (name) => `Pausar ${name}`,
  start: 'Iniciar',
  startOf: (name) => `Iniciar ${name}`,
  change: 'Cambiar',
  changeOf: (name) => `Cambiar ${name}`,
  enterKey: 'Introducir la clave',
  remove: 'Quitar …',
  removeOf: (name) => `Quitar ${name}`,
  readingsStay: 'Las lecturas quedan. Sus dispositivos se consideran sin comunicación si no envían de otra manera.',
  downTitle: 'Cuando una fuente no responde',
  downMeans:
    'Una fuente se considera caída tras 15 minutos de fallos. Mientras tanto, y durante un ritmo normal después, sus dispositivos no se consideran sin comunicación. Después se leen de nuevo dos días, y nada se cuenta dos veces.',
};

/** Texts of the page Sources. */
export const SOURCE_TEXTS = { en, es };

/** What the service says about a failure, as a sentence of the page. The service says it in English. */
const ERRORS: readonly (readonly [pattern: RegExp, en: string, es: string])[] = [
  [/key is refused|refuses the user name/, 'It refuses the key.', 'Rechaza la clave.'],
  [
    /asked too often/,
    'It was asked too often, and is asked more slowly.',
    'Se le preguntó demasiado; se le pregunta más despacio.',
  ],
  [/answered (\d{3})/, 'It answered with the error $1.', 'Respondió con el error $1.'],
  [/no response in time|no connection within/, 'It did not answer in time.', 'No respondió a tiempo.'],
  [/connection was refused/, 'It accepts no connection.', 'No acepta conexiones.'],
  [/connection was closed|closed the connection/, 'It closed the connection.', 'Cerró la conexión.'],
  [/host name/, 'Its host name cannot be found.', 'No se encuentra el nombre de su servidor.'],
  [/private address/, 'Its address is in a private network.', 'Su dirección está en una red privada.'],
  [/no profile (\S+)/, 'There is no profile $1.', 'No hay un perfil $1.'],
  [
    /not JSON|reads nothing|has no |is not named/,
    'Its answer cannot be read: it has other fields than before.',
    'No se puede leer su respuesta: tiene otros campos que antes.',
  ],
];

export function errorSentence(error: string, language: 'en' | 'es'): string {
  for (const [pattern, english, spanish] of ERRORS) {
    const found = pattern.exec(error);
    if (found !== null) return (language === 'es' ? spanish : english).replace('$1', found[1] ?? '');
  }
  return `${error.charAt(0).toUpperCase()}${error.slice(1)}.`;
}
