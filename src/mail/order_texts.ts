import type { Language } from './locale.ts';

/** A delivery that is planned. */
export interface DeliveryPlan {
  /** The day of the delivery, such as "Tuesday". */
  day: string;
  /** True if the content lasts until then; null if there is no forecast. */
  isInTime: boolean | null;
}

/** The texts about the delivery to a low tank, in one language. Each part is null if it is unknown, or if no delivery is planned. */
export interface OrderTexts {
  /** The advice for a contact. `days` is how long the content lasts, `room` the volume that fits. */
  lowAdvice: (
    low: { isEmpty: boolean; days: string | null; room: string | null },
    planned: DeliveryPlan | null,
  ) => string;
  /** Tells the owner how to order, unless a delivery comes in time. */
  order: (
    organization: { name: string; phone: string | null; canReply: boolean },
    planned: DeliveryPlan | null,
  ) => string;
}

/** The texts in each language. `noun` is the word for the product of the tank. */
export const ORDER_TEXTS: Readonly<Record<Language, (noun: string) => OrderTexts>> = {
  en: (noun) => ({
    lowAdvice({ isEmpty, days, room }, planned) {
      const fits = room === null ? '' : ` About ${room} fit.`;
      if (isEmpty)
        return `Deliver now: the tank is empty.${planned === null ? '' : ` ${english(planned.day)}.`}${fits}`;
      if (planned === null) return `Plan a delivery${days === null ? '' : `: the tank is empty in ${days}`}.${fits}`;
      if (planned.isInTime !== false) return `${english(planned.day)}.${fits}`;
      return `${english(planned.day)}, but the tank may be empty before.${days === null ? '' : ` It is empty in ${days}.`}${fits}`;
    },
    order({ name, phone, canReply }, planned) {
      if (planned?.isInTime === true) return `${english(planned.day)}. You do not need to call.`;
      const withoutPhone = canReply ? 'reply to this email' : `contact ${name}`;
      const how = phone === null ? withoutPhone : `call ${name}: ${phone}${canReply ? ', or reply to this email' : ''}`;
      if (planned === null) return `To order ${noun}, ${how}.`;
      const late = planned.isInTime === null ? '' : ', but the tank may be empty before';
      return `${english(planned.day)}${late}. To get ${noun} earlier, ${how}.`;
    },
  }),
  es: (noun) => ({
    lowAdvice({ isEmpty, days, room }, planned) {
      const fits = room === null ? '' : ` Caben unos ${room}.`;
      if (isEmpty)
        return `Entregue ya: el tanque está vacío.${planned === null ? '' : ` ${spanish(planned.day)}.`}${fits}`;
      if (planned === null)
        return `Programe una entrega${days === null ? '' : `: el tanque se vacía en ${days}`}.${fits}`;
      if (planned.isInTime !== false) return `${spanish(planned.day)}.${fits}`;
      return `${spanish(planned.day)}, pero el tanque puede vaciarse antes.${days === null ? '' : ` Se vacía en ${days}.`}${fits}`;
    },
    order({ name, phone, canReply }, planned) {
      if (planned?.isInTime === true) return `${spanish(planned.day)}. No necesita llamar.`;
      const withoutPhone = canReply ? 'responda a este correo' : `comuníquese con ${name}`;
      const how =
        phone === null ? withoutPhone : `llame a ${name}: ${phone}${canReply ? ', o responda a este correo' : ''}`;
      if (planned === null) return `Para pedir ${noun}, ${how}.`;
      const late = planned.isInTime === null ? '' : ', pero el tanque puede vaciarse antes';
      return `${spanish(planned.day)}${late}. Para recibir ${noun} antes, ${how}.`;
    },
  }),
};

const english = (day: string): string => `A delivery is planned for ${day}`;
const spanish = (day: string): string => `Hay una entrega prevista para el ${day}`;
