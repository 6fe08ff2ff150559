import { CALL_CUSTOMER, LEAK_WORDS } from '../../../../src/values/leak_words.ts';
import { capitalized, type Hazard, PRODUCT_NOUNS, PRODUCTS, type Product } from '../../../../src/values/products.ts';
import { approximateDuration, ended, withArticle } from './spanish_times.ts';

/** The texts that the console adds to the common texts about a hazard. */
interface HazardHelp {
  /** When the office calls the emergency number. Null if it does not call. */
  emergency: ((number: string) => string) | null;
  technicianHelp: string;
  /** The help below the first steps of the owner. */
  firstHelp: readonly string[];
  stayHelp: string;
}

const EN_HELP: Readonly<Record<Hazard, HazardHelp>> = {
  gas: {
    emergency: (number) => `Smell of gas, hissing, somebody unwell, or no answer: call ${number}.`,
    technicianHelp: 'Nobody goes back in, and nobody closes the valve where gas can be smelled.',
    firstHelp: [
      'Take everybody with you. Stay away from the tank, uphill and upwind if you can.',
      'No lights, no appliances, no cigarette, no car.',
    ],
    stayHelp:
      ' Do not look for the leak. Close the valve only if the tank stands outside, you smell nothing, and the way is safe.',
  },
  vapour: {
    emergency: (number) => `Smell of fuel, fuel on the ground, somebody unwell, or no answer: call ${number}.`,
    technicianHelp: 'Nobody goes back before the place is safe.',
    firstHelp: ['Take everybody with you, upwind if you can.', 'No lights, no cigarette, no car.'],
    stayHelp: '',
  },
  spill: {
    emergency: (number) => `Much has run out, it runs into a drain or into water, or no answer: call ${number}.`,
    technicianHelp: 'With material that absorbs what has run out.',
    firstHelp: [],
    stayHelp: '',
  },
  none: { emergency: null, technicianHelp: '', firstHelp: [], stayHelp: '' },
};

const ES_HELP: Readonly<Record<Hazard, HazardHelp>> = {
  gas: {
    emergency: (number) => `Olor a gas, silbido, alguien se siente mal o nadie contesta: llame al ${number}.`,
    technicianHelp: 'Nadie vuelve a entrar, y nadie cierra la válvula donde huele a gas.',
    firstHelp: [
      'Lleve a todos consigo. Aléjese del tanque, cuesta arriba y contra el viento si puede.',
      'Sin luces, aparatos, cigarros ni autos.',
    ],
    stayHelp:
      ' No busque la fuga. Cierre la válvula solo si el tanque está afuera, no huele a gas y el camino es seguro.',
  },
  vapour: {
    emergency: (number) =>
      `Olor a combustible, combustible en el suelo, alguien se siente mal o nadie contesta: llame al ${number}.`,
    technicianHelp: 'Nadie regresa hasta que el lugar sea seguro.',
    firstHelp: ['Lleve a todos consigo, contra el viento si puede.', 'Sin luces, cigarros ni autos.'],
    stayHelp: '',
  },
  spill: {
    emergency: (number) => `Se derramó mucho, llega a un desagüe o al agua, o nadie contesta: llame al ${number}.`,
    technicianHelp: 'Con material que absorba lo derramado.',
    firstHelp: [],
    stayHelp: '',
  },
  none: { emergency: null, technicianHelp: '', firstHelp: [], stayHelp: '' },
};

const en = (product: Product) => {
  const { hazard } = PRODUCTS[product];
  const [noun, words, help] = [PRODUCT_NOUNS.en[product], LEAK_WORDS.en[hazard], EN_HELP[hazard]];
  return {
    steps: {
      title: 'What to do, in this order',
      call: CALL_CUSTOMER.en as string,
      say: words.say,
      noPhone: 'There is no phone number of the customer.',
      callNumber: (phone: string) => `Call ${phone}`,
      emergency: help.emergency,
      facts: (address: string, capacity: string, left: string) =>
        `${address === '' ? '' : `${address}. `}${capitalized(noun)} tank of ${capacity}${left === '' ? '' : `, about ${left} left`}.`,
      copy: 'Copy address and facts',
      copied: 'Copied',
      technician: 'Send a technician.',
      technicianHelp: help.technicianHelp,
      noDelivery: 'Deliver nothing until the tank has been checked.',
    },
    owner: {
      title: `Possible ${noun} leak`,
      since: (tank: string, address: string, time: string) =>
        `${[tank, address].filter(Boolean).join(', ')}. The tank has been losing ${noun} since ${time}.`,
      first: words.first.map((step, index) => ({ step, help: help.firstHelp[index] ?? '' })),
      call: `${words.call}.`,
      callNumber: (number: string) => `Call ${number}`,
      emergencyIf: words.emergencyIf,
      usIf: (phone: string) => `${words.supplierIf} · ${phone}`,
      stay: words.stay,
      stayHelp: (organization: string) => `${words.stayUntil(organization)}${help.stayHelp}`,
      gauge: 'What the gauge shows',
      left: (volume: string) => `about ${volume} left`,
      emptyIn: (time: string) => `Empty in about ${time} at this rate`,
      reading: 'Reading',
      loss: 'Loss',
      lossText: (volume: string, duration: string) => `${volume} in ${duration}`,
      canBeWrong: words.canBeWrong,
    },
  };
};

const es: typeof en = (product) => {
  const { hazard } = PRODUCTS[product];
  const [noun, words, help] = [PRODUCT_NOUNS.es[product], LEAK_WORDS.es[hazard], ES_HELP[hazard]];
  return {
    steps: {
      title: 'Qué hacer, en este orden',
      call: CALL_CUSTOMER.es,
      say: words.say,
      noPhone: 'No hay teléfono del cliente.',
      callNumber: (phone) => `Llamar al ${phone}`,
      emergency: help.emergency,
      facts: (address, capacity, left) =>
        `${address === '' ? '' : `${address}. `}Tanque de ${noun} de ${capacity}${left === '' ? '' : `, quedan unos ${left}`}.`,
      copy: 'Copiar dirección y datos',
      copied: 'Copiado',
      technician: 'Envíe a un técnico.',
      technicianHelp: help.technicianHelp,
      noDelivery: 'No entregue nada hasta que se revise el tanque.',
    },
    owner: {
      title: `Posible fuga de ${noun}`,
      since: (tank, address, time) =>
        ended(`${[tank, address].filter(Boolean).join(', ')}. El tanque pierde ${noun} desde ${withArticle(time)}`),
      first: words.first.map((step, index) => ({ step, help: help.firstHelp[index] ?? '' })),
      call: `${words.call}.`,
      callNumber: (number) => `Llamar al ${number}`,
      emergencyIf: words.emergencyIf,
      usIf: (phone) => `${words.supplierIf} · ${phone}`,
      stay: words.stay,
      stayHelp: (organization) => `${words.stayUntil(organization)}${help.stayHelp}`,
      gauge: 'Lo que marca el indicador',
      left: (volume) => `quedan unos ${volume}`,
      emptyIn: (time) => `Se vacía en ${approximateDuration(time)} a este ritmo`,
      reading: 'Lectura',
      loss: 'Pérdida',
      lossText: (volume, duration) => `${volume} en ${duration}`,
      canBeWrong: words.canBeWrong,
    },
  };
};

/** The texts about a leaking tank. The product decides the safety steps. */
export const LEAK_TEXTS_OF = { en, es };
