import type { Db } from '../db/pool.ts';
import type { MailOutcome } from './event_mails.ts';
import type { Formats, Language } from './locale.ts';
import { organizationForContactSql } from './mail_organization.ts';
import type { Mailer } from './mailer.ts';
import { type WarnedContact, warnContacts } from './warn_contacts.ts';

interface DownConnector extends WarnedContact {
  id: string;
  name: string;
  kind: string;
  /** When the source refused the key; null if it did not. */
  refused_at: string | null;
  since: string;
  tanks: number;
}

interface ConnectorTexts {
  subject: string;
  sentences: readonly string[];
  remedy: string;
}

const WEATHER_KINDS: ReadonlySet<string> = new Set(['nws', 'dwd', 'weather_csv']);

/** What is missing while a source is down: readings, the weather of forecasts, or levels in a home. */
const missingOf = (kind: string): 'readings' | 'weather' | 'levels' => {
  if (WEATHER_KINDS.has(kind)) return 'weather';
  return kind === 'home_assistant' ? 'levels' : 'readings';
};

const TEXTS: Readonly<Record<Language, (source: DownConnector, formats: Formats) => ConnectorTexts>> = {
  en: ({ name, kind, refused_at, since, tanks }, formats) => ({
    subject: refused_at === null ? `The source ${name} is down` : `The source ${name} refuses its key`,
    sentences: {
      weather: [
        `The weather could not be fetched since ${formats.time(since)}.`,
        'Forecasts use what is known, and after some days no weather. Alerts do not depend on it.',
        'Tankwatch tries again about every 30 minutes, unless the service refuses a key.',
      ],
      levels: [
        `Levels could not be published to the broker since ${formats.time(since)}.`,
        'Home Assistant shows the tanks as unavailable. Nothing else depends on it.',
        'Tankwatch tries again about every 30 minutes, unless the service refuses a key.',
      ],
      readings: [
        refused_at === null
          ? `Readings could not be fetched since ${formats.time(since)}. Tankwatch tries again about every 30 minutes and then fetches what is missing.`
          : `Readings are not fetched since ${formats.time(since)}. So that the account is not locked, Tankwatch does not try again before somebody enters a key.`,
        tanks === 1
          ? 'One tank waits for it. It is not called silent because of it; its level shows its age.'
          : `${formats.number(tanks)} tanks wait for it. None of them is called silent because of it; their levels show their age.`,
      ],
    }[missingOf(kind)],
    remedy:
      refused_at === null
        ? 'If it stays down, ask the operator of the source. There is one mail about it.'
        : 'Enter the new key in the settings, or ask your operator to do it.',
  }),
  es: ({ name, kind, refused_at, since, tanks }, formats) => ({
    subject: refused_at === null ? `La fuente ${name} no responde` : `La fuente ${name} rechaza su clave`,
    sentences: {
      weather: [
        `No se puede obtener el clima desde el ${formats.time(since)}.`,
        'Los pronósticos usan lo que se sabe, y después de unos días no usan el clima. Las alertas no dependen de él.',
        'Tankwatch lo intenta de nuevo cada 30 minutos aproximadamente, salvo que el servicio rechace una clave.',
      ],
      levels: [
        `No se pueden publicar niveles en el bróker desde el ${formats.time(since)}.`,
        'Home Assistant muestra los tanques como no disponibles. Nada más depende de ello.',
        'Tankwatch lo intenta de nuevo cada 30 minutos aproximadamente, salvo que el servicio rechace una clave.',
      ],
      readings: [
        refused_at === null
          ? `No se pueden obtener lecturas desde el ${formats.time(since)}. Tankwatch lo intenta de nuevo cada 30 minutos aproximadamente y después obtiene lo que falta.`
          : `No se obtienen lecturas desde el ${formats.time(since)}. Para que la cuenta no se bloquee, Tankwatch no lo intenta de nuevo hasta que alguien introduzca una clave.`,
        tanks === 1
          ? 'Un tanque depende de ella. No se considera sin comunicación por esta causa; su nivel muestra su antigüedad.'
          : `${formats.number(tanks)} tanques dependen de ella. Ninguno se considera sin comunicación por esta causa; sus niveles muestran su antigüedad.`,
      ],
    }[missingOf(kind)],
    remedy:
      refused_at === null
        ? 'Si sigue sin responder, pregunte al operador de la fuente. Solo se envía un correo.'
        : 'Introduzca la clave nueva en los ajustes, o pídalo a su operador.',
  }),
};

/** Informs a contact, or all contacts of the organization, that a source is down. Skipped if it works again. */
export async function mailConnector(
  db: Db,
  mailer: Mailer,
  connectorNo: number,
  contactNo: number | null,
): Promise<MailOutcome> {
  const { rows } = await db.query<DownConnector>(
    `select n.id, n.name, n.kind, s.refused_at, coalesce(s.down_since, s.failing_since, s.refused_at) as since,
            (select count(*)::int from connector_devices d
             join tanks t on t.organization_no = n.organization_no and t.assigned_device_id = d.device_id and t.deleted_at is null
             where d.connector_no = n.no) as tanks,
            c.no as contact_no, c.email, ${organizationForContactSql('c')} as organization
     from connectors n
     join connector_states s on s.connector_no = n.no
     join organizations o on o.no = n.organization_no
     join contacts c on c.organization_no = n.organization_no and c.deleted_at is null
     where n.no = $1 and n.deleted_at is null and n.paused_at is null and (s.down_since is not null or s.refused_at is not null)
       and ($2::int is null or c.no = $2)`,
    [connectorNo, contactNo],
  );
  return warnContacts(mailer, rows, (row, { formats }) => ({
    ...TEXTS[formats.language](row, formats),
    key: `${row.id}.down.${Date.parse(row.since)}`,
    hasTimes: true,
  }));
}
