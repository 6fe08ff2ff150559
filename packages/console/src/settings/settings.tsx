import type { Settings } from '@tankwatch/client';
import type { Session } from '../api.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { numeric, Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences.tsx';
import { LinkAccount } from '../sign_in/issuer_buttons.tsx';
import { ACCOUNT_TEXTS } from '../translations/accounts.ts';
import { SETTINGS_TEXTS } from '../translations/settings.ts';
import type { Translation } from '../translations/translation.ts';
import { Command, shellWord } from './command.tsx';
import { SettingsHead } from './settings_head.tsx';
import { useSettings } from './use_settings.ts';

/**
 * What the organization has configured. People change contacts and webhooks on pages of their own; a session by key changes
 * nothing, and shows the operator the commands.
 */
export function SettingsPage({ session: { person, can } }: { session: Session }) {
  const texts = useTexts(SETTINGS_TEXTS);
  const isOperator = person === null;
  const { data, error, refetch } = useSettings();
  return (
    <div className="settings">
      <SettingsHead page="settings" />
      <p className="meta">{isOperator ? texts.readOnlyCommands : texts.readOnly}</p>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={10} />}
      {data !== undefined && (
        <>
          <OrganizationSettings organization={data.organization} isOperator={isOperator} />
          <Thresholds settings={data} isOperator={isOperator} canChange={can.includes('catalog')} />
          {!can.includes('contacts') && <Contacts settings={data} isOperator={isOperator} />}
          {!can.includes('webhooks') && <Webhooks settings={data} isOperator={isOperator} />}
          <LinkAccount />
        </>
      )}
    </div>
  );
}

function OrganizationSettings({
  organization,
  isOperator,
}: {
  organization: Settings['organization'];
  isOperator: boolean;
}) {
  const { format } = usePreferences();
  const texts = useTexts(SETTINGS_TEXTS);
  const { code, name, language, time_zone: zone, phone, reply_to: replyTo } = organization;
  const facts = [
    [texts.code, code],
    [texts.language, format.languageName(language)],
    [texts.zone, `${format.zoneName(zone)} (${zone})`],
    [texts.phone, phone ?? texts.none],
    [texts.replyTo, replyTo ?? texts.none],
  ];
  return (
    <section aria-labelledby="organization">
      <h2 id="organization">
        {texts.organization}: {name}
      </h2>
      <dl className="setting-facts">
        {facts.map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {isOperator && (
        <Command
          title={texts.change}
          text={`tankwatch organizations update ${code} --language ${language} --time-zone ${zone} --phone ${shellWord(phone ?? '+')}`}
        />
      )}
    </section>
  );
}

function Thresholds({
  settings: { organization, thresholds },
  isOperator,
  canChange,
}: ListProps & { canChange: boolean }) {
  const { format } = usePreferences();
  const texts = useTexts(SETTINGS_TEXTS);
  return (
    <section aria-labelledby="thresholds">
      <h2 id="thresholds">{texts.thresholds}</h2>
      {thresholds.length > 0 && (
        <Table className="narrow-table" columns={[texts.threshold, numeric(texts.tanks)]}>
          {thresholds.map(({ min_fill_alert_percentage: percentage, tanks }) => (
            <tr key={percentage}>
              <th scope="row">{format.exactPercent(percentage)}</th>
              <td className="number">{format.count(tanks)}</td>
            </tr>
          ))}
        </Table>
      )}
      {canChange && <p className="meta">{texts.changeThreshold}</p>}
      {isOperator && (
        <>
          <Command
            title={texts.tryFirst}
            text={`tankwatch alerts dry-run --organization ${organization.code} --threshold 30 --since ${monthAgo()}`}
          />
          <Command
            title={texts.changeMany}
            text={`tankwatch tanks update DEVICE --organization ${organization.code} --min-fill-alert-percentage 30`}
          />
        </>
      )}
    </section>
  );
}

const monthAgo = (): string => new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);

interface ListProps {
  settings: Settings;
  /** Whether commands are shown. */
  isOperator: boolean;
}

function Contacts({ settings: { organization, contacts }, isOperator }: ListProps) {
  const { words, format } = usePreferences();
  const { roles: roleNames } = useTexts(ACCOUNT_TEXTS);
  const texts = useTexts(SETTINGS_TEXTS);
  const scope = `--organization ${organization.code}`;
  return (
    <section aria-labelledby="contacts">
      <h2 id="contacts">{texts.contacts}</h2>
      <p className="meta">{texts.contactsHelp}</p>
      {contacts.length === 0 && <p className="notice">{texts.noContacts}</p>}
      <ul className="setting-list">
        {contacts.map(({ id, email, name, types, digest_at: digestAt, has_console: hasConsole, roles }) => {
          const chosen = types.length === 0 ? 'none' : types.join(' ');
          const digest = digestAt === null ? '' : ` --digest ${digestAt}`;
          return (
            <li key={id}>
              <h3>{name === null ? email : `${name}, ${email}`}</h3>
              <dl className="setting-facts">
                <div>
                  <dt>{texts.atOnce}</dt>
                  <dd>{types.length === 0 ? texts.nothing : namesOf(types, words)}</dd>
                </div>
                <div>
                  <dt>{texts.digest}</dt>
                  <dd>{digestAt === null ? texts.nothing : texts.digestAt(format.clock(digestAt))}</dd>
                </div>
                <div>
                  <dt>{texts.console}</dt>
                  <dd>{hasConsole ? roles.map((role) => roleNames[role]).join(', ') : texts.mayNotEnter}</dd>
                </div>
              </dl>
              {isOperator && (
                <>
                  <Command
                    title={texts.change}
                    text={`tankwatch contacts add ${shellWord(email)} ${scope} --type ${chosen}${digest}`}
                  />
                  <Command
                    title={hasConsole ? texts.shutOut : texts.letIn}
                    text={`tankwatch contacts update ${shellWord(email)} ${scope} --role ${hasConsole ? 'none' : 'viewer'}`}
                  />
                  <Command title={texts.remove} text={`tankwatch contacts remove ${shellWord(email)} ${scope}`} />
                </>
              )}
            </li>
          );
        })}
      </ul>
      {!isOperator && <p className="meta">{texts.byAdministrator}</p>}
      {isOperator && (
        <Command title={texts.add} text={`tankwatch contacts add dispatch@example.com ${scope} --digest 07:00`} />
      )}
    </section>
  );
}

const namesOf = (types: readonly (keyof Translation['events'])[], { events }: Translation): string =>
  types.map((type) => events[type]).join(', ');

function Webhooks({ settings: { organization, webhooks }, isOperator }: ListProps) {
  const { words } = usePreferences();
  const texts = useTexts(SETTINGS_TEXTS);
  const scope = `--organization ${organization.code}`;
  return (
    <section aria-labelledby="webhooks">
      <h2 id="webhooks">{texts.webhooks}</h2>
      <p className="meta">{texts.webhooksHelp}</p>
      {webhooks.length === 0 && <p className="notice">{texts.noWebhooks}</p>}
      <ul className="setting-list">
        {webhooks.map((webhook) => {
          const isDisabled = webhook.disabled_at !== null;
          return (
            <li key={webhook.id}>
              <h3>{webhook.host}</h3>
              <dl className="setting-facts">
                <div>
                  <dt>{texts.types}</dt>
                  <dd>{webhook.types.length === 0 ? texts.allTypes : namesOf(webhook.types, words)}</dd>
                </div>
                <div>
                  <dt>{texts.state}</dt>
                  <dd>
                    <WebhookState webhook={webhook} />
                  </dd>
                </div>
              </dl>
              {isOperator && (
                <>
                  <Command
                    title={isDisabled ? texts.enable : texts.disable}
                    text={`tankwatch webhooks ${isDisabled ? 'enable' : 'disable'} ${webhook.id} ${scope}`}
                  />
                  <Command title={texts.deliveries} text={`tankwatch webhooks deliveries ${webhook.id} ${scope}`} />
                </>
              )}
            </li>
          );
        })}
      </ul>
      {!isOperator && <p className="meta">{texts.byAdministrator}</p>}
      {isOperator && (
        <Command title={texts.add} text={`tankwatch webhooks create https://erp.example.com/tankwatch ${scope}`} />
      )}
    </section>
  );
}

function WebhookState({ webhook }: { webhook: Settings['webhooks'][number] }) {
  const { format } = usePreferences();
  const texts = useTexts(SETTINGS_TEXTS);
  const { disabled_at: disabledAt, disabled_because: because, failing_since: failingSince } = webhook;
  if (disabledAt !== null && because !== null) {
    return <strong>{texts.disabled(format.fullTime(disabledAt), texts.because[because])}</strong>;
  }
  return failingSince === null ? texts.live : <strong>{texts.failing(format.fullTime(failingSince))}</strong>;
}
