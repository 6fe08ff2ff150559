/** What people must do about a leaking tank, in the order of safety. Mails and the console say it with the same words. */
interface LeakWords {
  /** For the office. */
  call: string;
  say: string;
  /** For a person beside the tank. */
  out: string;
  noSwitch: string;
  noPhoneIndoors: string;
  callOutside: string;
  emergencyIf: string;
  nothingIf: string;
  stay: string;
  stayUntil: (organization: string) => string;
  canBeWrong: string;
}

export const LEAK_WORDS: Readonly<Record<'en' | 'es', LeakWords>> = {
  en: {
    call: 'Call the customer.',
    say: 'Say first: “Please go outside now, with everybody. Do not touch any switch, no flame. Call me back from outside.”',
    out: 'Go outside now.',
    noSwitch: 'Touch no switch. No flame.',
    noPhoneIndoors: 'Do not use a phone indoors.',
    callOutside: 'Call from outside',
    emergencyIf: 'if you smell gas, hear hissing, or somebody is unwell',
    nothingIf: 'if you notice nothing',
    stay: 'Do not go back in',
    stayUntil: (organization) => `until the firefighters or ${organization} say so.`,
    canBeWrong: 'A gauge can be wrong. Until somebody has looked, treat it as a leak.',
  },
  es: {
    call: 'Llame al cliente.',
    say: 'Diga primero: “Salga ahora, con todos. No toque ningún interruptor, nada de fuego. Llámeme desde afuera”.',
    out: 'Salga ahora.',
    noSwitch: 'No toque ningún interruptor. Nada de fuego.',
    noPhoneIndoors: 'No llame por teléfono adentro.',
    callOutside: 'Llame desde afuera',
    emergencyIf: 'si huele a gas, oye un silbido o alguien se siente mal',
    nothingIf: 'si no nota nada',
    stay: 'No vuelva a entrar',
    stayUntil: (organization) => `hasta que los bomberos o ${organization} lo permitan.`,
    canBeWrong: 'Un indicador puede fallar. Mientras nadie lo revise, trátelo como una fuga.',
  },
};
