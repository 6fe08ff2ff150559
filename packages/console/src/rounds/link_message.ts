import type { FleetRound } from '@tankwatch/client';
import { formatsOf, localeOf } from '../format.ts';
import { DRIVER_LINK_TEXTS } from '../translations/driver_link.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';

/** URLs that open an app of this device with the prepared message. */
interface MessageLinks {
  sms: string;
  whatsApp: string;
  mail: string;
}

/** The message for the driver is in the language of the organization, because the viewer may use another language. */
export function messageLinks(
  { date, truck, driver, counts }: Pick<FleetRound, 'date' | 'truck' | 'driver' | 'counts'>,
  url: string,
  organizationLanguage: string,
): MessageLinks {
  const language = organizationLanguage.toLowerCase().startsWith('es') ? 'es' : 'en';
  const texts = DRIVER_LINK_TEXTS[language];
  const format = formatsOf(localeOf(language, [organizationLanguage]));
  const day = format.longDay(date);
  const stops = ROUND_TEXTS[language].stopsShort(counts.stops, format.count(counts.stops));
  const text = encodeURIComponent(texts.message(day, stops, truck.name, url));
  const phone = (driver?.phone ?? '').replaceAll(/[^\d+]/g, '');
  // WhatsApp accepts only numbers with a country code.
  const international = phone.startsWith('+') ? phone.slice(1) : '';
  return {
    // Older iPhones separate the body with &, other phones with ?.
    sms: `sms:${phone}?&body=${text}`,
    whatsApp: `https://wa.me/${international}?text=${text}`,
    mail: `mailto:?subject=${encodeURIComponent(texts.subject(day))}&body=${text}`,
  };
}
