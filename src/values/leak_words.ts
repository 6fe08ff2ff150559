/** The texts about the steps at a leaking tank, the most urgent first. Mails and the console use the same texts. */
export interface LeakWords {
  /** For the office: the first sentence to the customer. */
  say: string;
  /** The steps of a person beside the tank, before the step `call`. */
  first: readonly string[];
  call: string;
  /** When to call the emergency number; null if only the supplier is called. */
  emergencyIf: string | null;
  /** When to call the supplier instead. */
  supplierIf: string;
  /** The beginning of the last step. `stayUntil` is its end. */
  stay: string;
  stayUntil: (organization: string) => string;
  /** The text of a button that calls the emergency number or the supplier. */
  callFrom: (whom: string) => string;
  /** The end of the retraction of a loss, for a person who still notices a leak. */
  allTheSame: (emergencyNumber: string) => string;
  canBeWrong: string;
}

const EN_OUTSIDE = (whom: string): string => `From outside: call ${whom}`;
const EN_CALL = (whom: string): string => `Call ${whom}`;
const EN_WRONG = 'A gauge can be wrong. Until somebody has looked, treat it as a leak.';
const ES_OUTSIDE = (whom: string): string => `Desde afuera: llamar ${whom}`;
const ES_CALL = (whom: string): string => `Llamar ${whom}`;
const ES_WRONG = 'Un indicador puede fallar. Mientras nadie lo revise, trátelo como una fuga.';

/** The first step of the office. Its sentence to the customer depends on the hazard: see `say`. */
export const CALL_CUSTOMER = { en: 'Call the customer.', es: 'Llame al cliente.' } as const;

export const LEAK_WORDS: Readonly<
  Record<'en' | 'es', Readonly<Record<'gas' | 'vapour' | 'spill' | 'none', LeakWords>>>
> = {
  en: {
    gas: {
      say: 'Say first: “Please go outside now, with everybody. Do not touch any switch, no flame. Call me back from outside.”',
      first: ['Go outside now.', 'Touch no switch. No flame. Do not use a phone indoors.'],
      call: 'Call from outside',
      emergencyIf: 'if you smell gas, hear hissing, or somebody is unwell',
      supplierIf: 'if you notice nothing',
      stay: 'Do not go back in',
      stayUntil: (organization) => `until the firefighters or ${organization} say so.`,
      callFrom: EN_OUTSIDE,
      allTheSame: (number) => `if you smell gas all the same, go outside and call ${number}`,
      canBeWrong: EN_WRONG,
    },
    vapour: {
      say: 'Say first: “Please go away from the tank now, with everybody. No flame, no switch, start no engine. Call me back from there.”',
      first: [
        'Go away from the tank now.',
        'No flame. Touch no switch, start no engine. Do not use a phone near the tank.',
      ],
      call: 'Call from a safe place',
      emergencyIf: 'if you smell fuel, see it on the ground, or somebody is unwell',
      supplierIf: 'if you notice nothing',
      stay: 'Do not go back',
      stayUntil: (organization) => `until the firefighters or ${organization} say so.`,
      callFrom: (whom) => `From a safe place: call ${whom}`,
      allTheSame: (number) => `if you smell fuel all the same, go away from the tank and call ${number}`,
      canBeWrong: EN_WRONG,
    },
    spill: {
      say: 'Say first: “Please make no flame near the tank. Look whether something is on the ground, and keep it out of drains. Call me back.”',
      first: [
        'Make no flame near the tank. Do not smoke.',
        'Look whether something has run out. Keep it out of drains and water if you can do so safely. Do not touch it.',
      ],
      call: 'Call',
      emergencyIf: 'if much has run out, or it runs into a drain or into water',
      supplierIf: 'in all other cases',
      stay: 'Leave the tank as it is',
      stayUntil: (organization) => `until ${organization} has looked at it.`,
      callFrom: EN_CALL,
      allTheSame: (number) => `if something runs out all the same, call ${number}`,
      canBeWrong: EN_WRONG,
    },
    none: {
      say: 'Ask whether the tank, a pipe or a tap leaks.',
      first: ['Look whether the tank, a pipe or a tap leaks.', 'Close the valve if it does.'],
      call: 'Call',
      emergencyIf: null,
      supplierIf: 'if you find a leak or nothing explains the loss',
      stay: 'Look at the level again',
      stayUntil: () => 'after an hour.',
      callFrom: EN_CALL,
      allTheSame: () => '',
      canBeWrong: 'A gauge can be wrong. Look at the tank before you do anything else.',
    },
  },
  es: {
    gas: {
      say: 'Diga primero: “Salga ahora, con todos. No toque ningún interruptor, nada de fuego. Llámeme desde afuera”.',
      first: ['Salga ahora.', 'No toque ningún interruptor. Nada de fuego. No llame por teléfono adentro.'],
      call: 'Llame desde afuera',
      emergencyIf: 'si huele a gas, oye un silbido o alguien se siente mal',
      supplierIf: 'si no nota nada',
      stay: 'No vuelva a entrar',
      stayUntil: (organization) => `hasta que los bomberos o ${organization} lo permitan.`,
      callFrom: ES_OUTSIDE,
      allTheSame: (number) => `si aun así huele a gas, salga y llame al ${number}`,
      canBeWrong: ES_WRONG,
    },
    vapour: {
      say: 'Diga primero: “Aléjese del tanque ahora, con todos. Nada de fuego, ningún interruptor, no arranque ningún motor. Llámeme desde allí”.',
      first: [
        'Aléjese del tanque ahora.',
        'Nada de fuego. No toque ningún interruptor ni arranque ningún motor. No llame por teléfono cerca del tanque.',
      ],
      call: 'Llame desde un lugar seguro',
      emergencyIf: 'si huele a combustible, lo ve en el suelo o alguien se siente mal',
      supplierIf: 'si no nota nada',
      stay: 'No regrese',
      stayUntil: (organization) => `hasta que los bomberos o ${organization} lo permitan.`,
      callFrom: (whom) => `Desde un lugar seguro: llamar ${whom}`,
      allTheSame: (number) => `si aun así huele a combustible, aléjese del tanque y llame al ${number}`,
      canBeWrong: ES_WRONG,
    },
    spill: {
      say: 'Diga primero: “Nada de fuego cerca del tanque. Mire si hay algo en el suelo y evite que llegue a un desagüe. Llámeme después”.',
      first: [
        'Nada de fuego cerca del tanque. No fume.',
        'Mire si algo se derramó. Si puede sin peligro, evite que llegue a desagües o al agua. No lo toque.',
      ],
      call: 'Llame',
      emergencyIf: 'si se derramó mucho, o llega a un desagüe o al agua',
      supplierIf: 'en los demás casos',
      stay: 'Deje el tanque como está',
      stayUntil: (organization) => `hasta que ${organization} lo revise.`,
      callFrom: ES_CALL,
      allTheSame: (number) => `si aun así se derrama algo, llame al ${number}`,
      canBeWrong: ES_WRONG,
    },
    none: {
      say: 'Pregunte si el tanque, un tubo o una llave gotea.',
      first: ['Mire si el tanque, un tubo o una llave gotea.', 'Si gotea, cierre la válvula.'],
      call: 'Llame',
      emergencyIf: null,
      supplierIf: 'si encuentra una fuga o nada explica la pérdida',
      stay: 'Mire el nivel otra vez',
      stayUntil: () => 'después de una hora.',
      callFrom: ES_CALL,
      allTheSame: () => '',
      canBeWrong: 'Un indicador puede fallar. Revise el tanque antes de hacer otra cosa.',
    },
  },
};
