const en = {
  need: 'Need a person',
  all: 'All devices',
  tabs: 'Which devices',
  summary: (count: number, shown: string) =>
    count === 1 ? '1 device needs a person' : `${shown} devices need a person`,
  put: 'Put a device on a tank',
  csv: 'CSV',
  towns: 'Towns',
  allTowns: 'All towns',
  moreTowns: (count: string) => `${count} more towns`,
  states: {
    silent: 'Silent',
    gauge_unreliable: 'Gauge unreliable',
    never_heard: 'Not heard yet',
    reporting: 'Reporting',
  },
  notes: {
    silent: 'longer than their usual interval allows',
    gauge_unreliable: 'the level cannot be believed',
    never_heard: 'put on a tank, without a reading so far',
  },
  columns: {
    device: 'Device',
    state: 'State',
    heard: 'Last heard',
    tank: 'Tank, customer, town',
    commissioned: 'Commissioned',
  },
  silentFor: (duration: string) => `silent for ${duration}`,
  unreliableFor: (duration: string) => `unreliable for ${duration}`,
  waitsFor: (duration: string) => `no reading for ${duration}`,
  never: 'never',
  /** "Every hour", not "every 1 hour". */
  usually: (interval: string) => `usually every ${interval.replace(/^1\s/, '')}`,
  noInterval: 'interval not known yet',
  byUnknown: 'not recorded by whom',
  calm: 'All devices report as usual.',
  calmTown: (town: string) => `All devices in ${town} report as usual.`,
  none: 'There are no devices yet.',
  more: 'Show more',
  loading: 'Reading …',
};

const es: typeof en = {
  need: 'Necesitan una persona',
  all: 'Todos los dispositivos',
  tabs: 'Qué dispositivos',
  summary: (count: number, shown: string) =>
    count === 1 ? '1 dispositivo necesita una persona' : `${shown} dispositivos necesitan una persona`,
  put: 'Poner un dispositivo en un tanque',
  csv: 'CSV',
  towns: 'Poblaciones',
  allTowns: 'Todas las poblaciones',
  moreTowns: (count: string) => `${count} poblaciones más`,
  states: {
    silent: 'Sin lecturas',
    gauge_unreliable: 'Indicador no confiable',
    never_heard: 'Todavía sin señal',
    reporting: 'Con lecturas',
  },
  notes: {
    silent: 'más tiempo de lo que permite su intervalo habitual',
    gauge_unreliable: 'no se puede creer el nivel',
    never_heard: 'puestos en un tanque, todavía sin lectura',
  },
  columns: {
    device: 'Dispositivo',
    state: 'Estado',
    heard: 'Última señal',
    tank: 'Tanque, cliente, población',
    commissioned: 'Instalado',
  },
  silentFor: (duration: string) => `sin lecturas desde hace ${duration}`,
  unreliableFor: (duration: string) => `no confiable desde hace ${duration}`,
  waitsFor: (duration: string) => `sin lectura desde hace ${duration}`,
  never: 'nunca',
  usually: (interval: string) => `normalmente cada ${interval.replace(/^1\s/, '')}`,
  noInterval: 'intervalo todavía no conocido',
  byUnknown: 'no consta quién',
  calm: 'Todos los dispositivos tienen lecturas como siempre.',
  calmTown: (town: string) => `Todos los dispositivos en ${town} tienen lecturas como siempre.`,
  none: 'Todavía no hay dispositivos.',
  more: 'Mostrar más',
  loading: 'Leyendo …',
};

/** Texts of the page of devices. */
export const DEVICE_TEXTS = { en, es };
