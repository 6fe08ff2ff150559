const en = {
  shown: { trouble: 'Need a person', taken_on: 'Taken on', all: 'All devices' },
  tabs: 'Which devices',
  summary: (count: number, shown: string) =>
    count === 1 ? '1 device needs a person' : `${shown} devices need a person`,
  summaryTaken: (count: number, shown: string) => (count === 1 ? '1 is taken on' : `${shown} are taken on`),
  commissionedBy: 'Commissioned by',
  anybody: 'anybody',
  personLeft: 'somebody who has left',
  put: 'Put a device on a tank',
  csv: 'CSV',
  towns: 'Towns',
  allTowns: 'All towns',
  moreTowns: (count: string) => `${count} more towns`,
  states: {
    silent: 'Silent',
    fault: 'Fault, no level',
    gauge_unreliable: 'Gauge unreliable',
    battery_low: 'Battery low',
    weak_signal: 'Weak signal',
    never_heard: 'Not heard yet',
    reporting: 'Reporting',
  },
  notes: {
    silent: 'longer than their usual interval allows',
    fault: 'they report, but could not measure',
    gauge_unreliable: 'the level cannot be believed',
    battery_low: 'by day too, not only in the cold',
    weak_signal: 'median of 7 days',
    never_heard: 'put on a tank, without a reading so far',
  },
  columns: {
    device: 'Device',
    state: 'State',
    heard: 'Last heard',
    battery: 'Battery',
    signal: 'Signal, 7 days',
    tank: 'Tank, customer, town',
    commissioned: 'Commissioned',
  },
  silentFor: (duration: string) => `silent for ${duration}`,
  unreliableFor: (duration: string) => `unreliable for ${duration}`,
  waitsFor: (duration: string) => `no reading for ${duration}`,
  batteryLowFor: (duration: string) => `low for ${duration}`,
  /** More than 24 months are not told apart. */
  monthsLeft: (min: number, max: number) => {
    if (max === 0) return 'less than a month left';
    if (min === 24) return '24 months or more';
    if (min !== max) return `${min} to ${max} months left`;
    return max === 1 ? 'about a month left' : `about ${max} months left`;
  },
  never: 'never',
  takeOn: 'Take on',
  takeOnOf: (device: string) => `Take on ${device}`,
  takenOn: (name: string, until: string) => `taken on by ${name}, until ${until}`,
  giveBack: 'Give back',
  giveBackOf: (device: string) => `Give back ${device}`,
  takenMeanwhile: 'Somebody else has taken it on, or the problem is over.',
  program: 'a program',
  /** "Every hour", not "every 1 hour". */
  usually: (interval: string) => `usually every ${interval.replace(/^1\s/, '')}`,
  noInterval: 'interval not known yet',
  byUnknown: 'not recorded by whom',
  calm: 'All devices report as usual.',
  calmTown: (town: string) => `All devices in ${town} report as usual.`,
  none: 'There are no devices yet.',
  noneTaken: 'Nobody has taken on a device.',
  noneOfPerson: 'There are no such devices of this person.',
  more: 'Show more',
  loading: 'Reading …',
};

const es: typeof en = {
  shown: { trouble: 'Necesitan una persona', taken_on: 'A cargo de alguien', all: 'Todos los dispositivos' },
  tabs: 'Qué dispositivos',
  summary: (count: number, shown: string) =>
    count === 1 ? '1 dispositivo necesita una persona' : `${shown} dispositivos necesitan una persona`,
  summaryTaken: (count, shown) => (count === 1 ? '1 está a cargo de alguien' : `${shown} están a cargo de alguien`),
  commissionedBy: 'Instalado por',
  anybody: 'cualquiera',
  personLeft: 'alguien que ya no está',
  put: 'Poner un dispositivo en un tanque',
  csv: 'CSV',
  towns: 'Poblaciones',
  allTowns: 'Todas las poblaciones',
  moreTowns: (count: string) => `${count} poblaciones más`,
  states: {
    silent: 'Sin lecturas',
    fault: 'Falla, sin nivel',
    gauge_unreliable: 'Indicador no confiable',
    battery_low: 'Batería baja',
    weak_signal: 'Señal débil',
    never_heard: 'Todavía sin señal',
    reporting: 'Con lecturas',
  },
  notes: {
    silent: 'más tiempo de lo que permite su intervalo habitual',
    fault: 'se reportan, pero no pudieron medir',
    gauge_unreliable: 'no se puede creer el nivel',
    battery_low: 'también de día, no solo con frío',
    weak_signal: 'mediana de 7 días',
    never_heard: 'puestos en un tanque, todavía sin lectura',
  },
  columns: {
    device: 'Dispositivo',
    state: 'Estado',
    heard: 'Última señal',
    battery: 'Batería',
    signal: 'Señal, 7 días',
    tank: 'Tanque, cliente, población',
    commissioned: 'Instalado',
  },
  silentFor: (duration: string) => `sin lecturas desde hace ${duration}`,
  unreliableFor: (duration: string) => `no confiable desde hace ${duration}`,
  waitsFor: (duration: string) => `sin lectura desde hace ${duration}`,
  batteryLowFor: (duration: string) => `baja desde hace ${duration}`,
  monthsLeft: (min: number, max: number) => {
    if (max === 0) return 'queda menos de un mes';
    if (min === 24) return '24 meses o más';
    if (min !== max) return `quedan de ${min} a ${max} meses`;
    return max === 1 ? 'queda un mes aproximadamente' : `quedan unos ${max} meses`;
  },
  never: 'nunca',
  takeOn: 'Encargarse',
  takeOnOf: (device) => `Encargarse de ${device}`,
  takenOn: (name, until) => `a cargo de ${name}, hasta ${until}`,
  giveBack: 'Devolver',
  giveBackOf: (device) => `Devolver ${device}`,
  takenMeanwhile: 'Otra persona ya se encarga, o el problema ya pasó.',
  program: 'un programa',
  usually: (interval: string) => `normalmente cada ${interval.replace(/^1\s/, '')}`,
  noInterval: 'intervalo todavía no conocido',
  byUnknown: 'no consta quién',
  calm: 'Todos los dispositivos tienen lecturas como siempre.',
  calmTown: (town: string) => `Todos los dispositivos en ${town} tienen lecturas como siempre.`,
  none: 'Todavía no hay dispositivos.',
  noneTaken: 'Nadie se encarga de un dispositivo.',
  noneOfPerson: 'No hay tales dispositivos de esta persona.',
  more: 'Mostrar más',
  loading: 'Leyendo …',
};

/** Texts of the page of devices. */
export const DEVICE_TEXTS = { en, es };
